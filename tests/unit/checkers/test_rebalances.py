"""How long partitions of a group had no owner, by what members told and by the timeline."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from highwater.checkers.rebalances import Told, fates_of, rebalances_of, told_of
from highwater.checkers.rows import from_arrow
from highwater.harness.tables import ASSIGNMENTS

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
        {"kind": "client", "at_ns": at * MS, "client": client, "event": event}
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


def test_what_follows_the_order_to_stop_is_left_out() -> None:
    rows = [(10, FIRST, "revoked", 0), (12, SECOND, "assigned", 0), (42, FIRST, "revoked", 1)]
    stopped = ((41, FIRST, "stopping"), (41, "load", "stopping"))

    assert found(ALONE, *rows, events=stopped) == [(FIRST, "revoked", 10, 12, 1)]
    assert found(ALONE, *rows)[1:] == [(FIRST, "revoked", 42, None, 1)]


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
