"""How long partitions of a group had no owner, by what members told and by the timeline."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from highwater.checkers.fates import Told, fates_of, told_of
from highwater.checkers.rebalances import rebalances_of
from highwater.checkers.rows import from_arrow
from highwater.harness.client_tables import ASSIGNMENTS

MS = 1_000_000
FIRST, SECOND = "b-1", "b-2"


def found(*rows: tuple[Any, ...], events: tuple[tuple[int, str, str], ...] = ()) -> list[Any]:
    """Of rows (time in ms, client, what, partitions): client, what, from, until, partitions."""
    names = ("at_ns", "client", "what")
    told = [
        {**dict(zip(names, row[:3], strict=True)), "at_ns": row[0] * MS, "group": "g",
         "topic": "orders", "partition": partition}
        for row in rows for partition in row[3:]
    ]  # fmt: skip
    timeline = [
        {"kind": "client", "at_ns": at * MS, "client": client, "event": event, "group": "g"}
        for at, client, event in events
    ]
    table = from_arrow(pa.Table.from_pylist(told, ASSIGNMENTS))
    rebalances = rebalances_of(told_of(table), fates_of(timeline)).to_pylist()
    for row in rebalances:
        is_over = row["until_ns"] is not None
        lasted_ms = (row["until_ns"] - row["from_ns"]) / MS if is_over else None
        assert row["rebalance_ms"] == lasted_ms
    return [
        (
            row["client"],
            row["how"],
            row["from_ns"] // MS,
            None if row["until_ns"] is None else row["until_ns"] // MS,
            row["partitions"],
        )
        for row in rebalances
    ]


ALONE = (0, FIRST, "assigned", 0, 1)


def test_it_lasts_from_the_first_that_was_given_up_until_all_have_an_owner() -> None:
    rows = [(10, FIRST, "revoked", 0, 1), (15, FIRST, "assigned", 0), (22, SECOND, "assigned", 1)]

    assert found(ALONE, *rows) == [(FIRST, "revoked", 10, 22, 2)]


def test_what_is_handed_over_while_its_owner_holds_it_is_no_rebalance() -> None:
    assert found(ALONE, (10, SECOND, "assigned", 0, 1), (20, FIRST, "lost", 0, 1)) == []


def test_a_row_has_who_held_partitions_then_and_the_generation_that_was_told() -> None:
    rows = [
        Told("g", ("orders", partition), client, at, what, generation)
        for at, client, what, partition, generation in (
            (0, FIRST, "assigned", 0, 3), (0, FIRST, "assigned", 1, 3),
            (0, HEIR, "assigned", 2, 3),
            (10, FIRST, "revoked", 0, 9), (15, SECOND, "assigned", 0, 4), (99, SECOND, "lost", 0, 4)
        )
    ]  # fmt: skip

    first, last = rebalances_of(rows, fates_of([])).to_pylist()
    (untold,) = rebalances_of([one._replace(generation=None) for one in rows[:5]], fates_of([]))[
        "generation"
    ].to_pylist()

    assert (first["members"], first["generation"]) == (3, 4)
    assert (last["members"], last["generation"], untold) == (None, None, None)


def test_two_that_do_not_touch_are_two() -> None:
    rows = [(10, FIRST, "revoked", 0), (12, SECOND, "assigned", 0), (30, FIRST, "lost", 1),
            (35, SECOND, "assigned", 1)]  # fmt: skip

    assert found(ALONE, *rows) == [(FIRST, "revoked", 10, 12, 1), (FIRST, "lost", 30, 35, 1)]


def test_who_is_killed_is_gone_from_then_on() -> None:
    killed = ((10, FIRST, "killed"),)

    assert found(ALONE, (19, SECOND, "assigned", 0, 1), events=killed) == [
        (FIRST, "killed", 10, 19, 2)
    ]
    assert found(ALONE, (19, SECOND, "assigned", 0), events=killed) == [
        (FIRST, "killed", 10, None, 2)
    ]


def test_who_is_frozen_is_gone_if_somebody_else_takes_over_meanwhile() -> None:
    frozen = ((10, FIRST, "paused"), (30, FIRST, "resumed"))
    taken, lost = (20, SECOND, "assigned", 0, 1), (31, FIRST, "lost", 0, 1)

    assert found(ALONE, taken, lost, events=frozen) == [(FIRST, "paused", 10, 20, 2)]
    assert found(ALONE, taken, events=frozen[:1]) == [(FIRST, "paused", 10, 20, 2)]
    assert found(ALONE, events=frozen) == []


@pytest.mark.parametrize("woke", [(), ((36, FIRST, "resumed"),)])
def test_who_is_killed_while_it_is_frozen_never_wakes_up(woke: tuple[Any, ...]) -> None:
    events = ((10, FIRST, "paused"), (15, FIRST, "killed"), *woke)

    assert found(ALONE, (20, SECOND, "assigned", 0, 1), events=events) == [
        (FIRST, "paused", 10, 20, 2)
    ]


def test_who_woke_up_before_it_was_killed_is_gone_from_its_end_on() -> None:
    events = ((2, FIRST, "paused"), (5, FIRST, "resumed"), (15, FIRST, "killed"))

    assert found(ALONE, (20, SECOND, "assigned", 0, 1), events=events) == [
        (FIRST, "killed", 15, 20, 2)
    ]


def test_what_follows_the_order_to_stop_is_left_out() -> None:
    rows = [(10, FIRST, "revoked", 0), (12, SECOND, "assigned", 0), (42, FIRST, "revoked", 1)]
    stopped = ((41, FIRST, "stopping"), (41, "load", "stopping"))

    assert found(ALONE, *rows, events=stopped) == [(FIRST, "revoked", 10, 12, 1)]
    assert found(ALONE, *rows)[1:] == [(FIRST, "revoked", 42, None, 1)]


HEIR, OTHER = "b-1.2", "b-2.2"
STOPPED = ((10, FIRST, "stopping"), (10, SECOND, "stopping"))


def test_what_is_left_out_ends_when_others_of_that_group_are_assigned_something() -> None:
    rows = [(11, FIRST, "revoked", 0, 1), (12, SECOND, "assigned", 0, 1),
            (13, SECOND, "revoked", 0, 1), (20, HEIR, "assigned", 0, 1)]  # fmt: skip

    assert found(ALONE, *rows, events=STOPPED) == []
    killed, taken = (30, HEIR, "killed"), (90, OTHER, "assigned", 0, 1)
    assert found(ALONE, *rows, taken, events=(*STOPPED, killed)) == [(HEIR, "killed", 30, 90, 2)]
    ends = ((91, HEIR, "stopping"),)
    assert found(ALONE, *rows, (92, HEIR, "lost", 0), events=(*STOPPED, *ends)) == []


def test_what_has_no_owner_yet_in_a_new_round_is_measured_from_its_beginning_on() -> None:
    rows = [(11, FIRST, "revoked", 0, 1), (20, HEIR, "assigned", 0)]

    assert found(ALONE, *rows, (60, OTHER, "assigned", 1), events=STOPPED) == [
        (FIRST, "revoked", 20, 60, 1)
    ]
    assert found(ALONE, *rows, events=STOPPED) == []


def test_who_never_held_anything_and_is_told_to_stop_is_a_member_too() -> None:
    rows = [(11, FIRST, "revoked", 0, 1), (15, FIRST, "assigned", 0, 1)]

    assert found(ALONE, *rows, events=((10, "b-3", "stopping"), (10, FIRST, "stopping"))) == []
    assert found(ALONE, *rows, events=((10, "b-3", "stopping"), (16, FIRST, "stopping"))) == []


@pytest.mark.parametrize("gone", ["stopping", "killed"])
def test_what_a_group_reads_is_asked_of_members_that_are_there(gone: str) -> None:
    told = [Told("g", ("orders", 0), client, at, what) for at, client, what in (
        (0, FIRST, "assigned"), (8, FIRST, "revoked"), (20, HEIR, "assigned"),
        (30, HEIR, "lost"), (40, HEIR, "assigned"))]  # fmt: skip
    events = [
        {"kind": "client", "client": client, "event": event, "at_ns": at, "topics": [topic]}
        for at, client, event, topic in (
            (5, FIRST, "subscribed", "returns"),
            (10, FIRST, gone, "returns"),
            (15, HEIR, "started", "orders"),
        )
    ]

    assert rebalances_of(told, fates_of(events[:1])).num_rows == 0
    assert rebalances_of(told, fates_of(events))["from_ns"].to_pylist() == [30]


def test_what_a_group_is_to_read_no_more_needs_no_owner() -> None:
    rows = [Told("g", ("orders", 0), FIRST, at, what)
            for at, what in ((0, "assigned"), (20, "revoked"))]  # fmt: skip
    subscribed = {"kind": "client", "client": FIRST, "event": "subscribed"}

    other, same = (
        rebalances_of(rows, fates_of([{**subscribed, "at_ns": 10, "topics": [topic]}]))
        for topic in ("returns", "orders")
    )

    assert (other.num_rows, same.num_rows) == (0, 1)


@pytest.mark.parametrize(
    "event", [{"kind": "client", "at_ns": 1}, {"kind": "client", "at_ns": 1, "client": 3}]
)
def test_an_event_of_no_client_says_nothing(event: dict[str, Any]) -> None:
    assert fates_of([event]) == fates_of([])


def test_without_assignments_there_is_nothing_to_tell() -> None:
    assert told_of(None) == []


def busy(at: int, for_s: object) -> dict[str, Any]:
    return {
        "kind": "client", "at_ns": at * MS, "client": FIRST, "event": "busy", "for_s": for_s,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("told", "assigned", "other", "lost", "since"),
    [
        ([busy(1, 0.02)], 0, 9, 22, 1),
        ([busy(1, 0.02)], 2, 9, 22, 2),  # by the poll that it was at
        ([busy(1, 0.02), busy(2, 0.02)], 0, 30, 42, 2),
        ([busy(1, 20)], 0, 9, 22, 1),
    ],
)
def test_who_is_busy_does_not_hear_that_others_have_its_partitions(
    told: list[dict[str, Any]], assigned: int, other: int, lost: int, since: int
) -> None:
    rows = [
        {"at_ns": at * MS, "client": client, "what": what, "group": "g", "topic": "orders",
         "partition": 0}
        for at, client, what in (
            (assigned, FIRST, "assigned"), (other, SECOND, "assigned"), (lost, FIRST, "lost"),
        )
    ]  # fmt: skip
    table = from_arrow(pa.Table.from_pylist(rows, ASSIGNMENTS))

    (row,) = rebalances_of(told_of(table), fates_of(told)).to_pylist()

    assert (row["client"], row["from_ns"], row["until_ns"]) == (FIRST, since * MS, other * MS)


@pytest.mark.parametrize("for_s", [math.inf, -math.inf, math.nan, 1e300, -1, True, "1", None])
def test_what_is_no_length_of_time_is_none(for_s: object) -> None:
    assert fates_of([busy(1, for_s)]).frozen == {FIRST: [(MS, MS)]}


def test_who_wakes_without_having_been_frozen_is_as_busy_as_before() -> None:
    woken = {"kind": "client", "at_ns": 5 * MS, "client": FIRST, "event": "resumed"}

    assert fates_of([busy(1, 0.02), woken]).frozen == {FIRST: [(MS, 21 * MS)]}


def test_who_is_told_to_be_busy_while_it_is_frozen_wakes_all_the_same() -> None:
    def at(ms: int, event: str) -> dict[str, Any]:
        return {"kind": "client", "at_ns": ms * MS, "client": FIRST, "event": event}

    told = [at(1, "paused"), busy(2, 0.001), at(5, "resumed")]

    assert fates_of(told).frozen == {FIRST: [(MS, 5 * MS), (2 * MS, 3 * MS)]}
