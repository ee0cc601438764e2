"""Groups that are left alone with something to read: literal histories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    assigned,
    commit,
    consumer,
    poll,
    producer,
    replica,
    send,
    stored,
)

pytestmark = pytest.mark.spark

S = 10**9
MEMBER = consumer("billing-1", group_id="billing", began_ns=0)
CLIENTS = [producer(), consumer(), MEMBER, assigned(0)]
TOLD: dict[str, Any] = {
    "groups": {"billing": {"auto.offset.reset": "earliest", "session.timeout.ms": "6000"}},
    "steady": {"billing": {"since_ns": 10 * S, "until_ns": 60 * S, "topics": ["orders"]}},
}


def steady(**more: Any) -> dict[str, Any]:
    return {**TOLD, "steady": {"billing": {**TOLD["steady"]["billing"], **more}}}


def of_group(**more: Any) -> dict[str, Any]:
    return {**TOLD, "groups": {"billing": {**TOLD["groups"]["billing"], **more}}}


def sent(*offsets: int, at_s: int = 1, **more: Any) -> list[Row]:
    return [send(each, each, (at_s * S, at_s * S), **more) for each in offsets]


def handed(*offsets: int, at_s: float, client: str = "billing-1", **more: Any) -> list[Row]:
    at_ns = int(at_s * S)
    times = {"client": client, "invoked_ns": at_ns, "completed_ns": at_ns}
    rows = [poll(each, each, **times) for each in offsets]
    return [(table, {**row, **more}) for table, row in rows]


def seen(*offsets: int, at_s: float = 70, **more: Any) -> list[Row]:
    return handed(*offsets, at_s=at_s, client="reader", **more)


LEFT = [*CLIENTS, *sent(0, 1, 2), *handed(0, at_s=2), *seen(0, 1, 2)]


def test_a_group_that_was_handed_everything_moves(both_say: Say) -> None:
    rows = [*CLIENTS, *sent(0, 1, 2), *handed(0, 1, 2, at_s=2), *seen(0, 1, 2)]

    said = both_say("stuck-group", rows, **TOLD)
    untold = both_say("stuck-group", rows)

    assert (said.answer, said.considered, said.reason) == (HELD, 1, "")
    assert untold.answer is HELD


def test_a_group_that_is_handed_nothing_though_there_is_something_is_stuck(both_say: Say) -> None:
    said = both_say("stuck-group", LEFT, commit(1), **TOLD)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "group": "billing", "offset": 1, "value": 1,
         "committed": 1, "since_ns": 10 * S, "until_ns": 60 * S}
    ]  # fmt: skip


def test_a_group_that_is_busy_with_another_partition_may_have_had_no_time(both_say: Say) -> None:
    """A library hands out what it has of one partition first, and a member may be slow."""
    also = [assigned(0, partition=1), *sent(10, 11, partition=1), *seen(10, 11, partition=1)]
    late, early = (
        both_say("stuck-group", LEFT, also, handed(10, at_s=at_s, partition=1), **TOLD)
        for at_s in (25, 20)
    )

    assert (late.answer, late.anomalies) == (UNKNOWN, 0)
    assert "may have had no time for its own" in late.reason
    assert (early.answer, early.anomalies) == (VIOLATED, 2)


@pytest.mark.parametrize("told", [{}, {"client_id": "billing-2"}, {"client_id": "x"}])
def test_a_member_that_stands_still_is_not_excused_by_another_one(
    both_say: Say, told: dict[str, str]
) -> None:
    name = "billing-2" if not told else "billing-2#3"
    other = consumer(name, group_id="billing", began_ns=0, **told)
    has = assigned(0, "billing-2", partition=1)
    also = [*sent(10, 11, partition=1), *seen(10, 11, partition=1)]
    busy = handed(10, at_s=50, partition=1, client=name)

    said = both_say("stuck-group", LEFT, other, has, also, busy, **TOLD)
    taken = [assigned(5, "billing-1", "revoked"), assigned(6, "billing-2")]
    moved = both_say("stuck-group", LEFT, other, has, also, busy, taken, **TOLD)

    nobody_knows = told.get("client_id") == "x"
    assert said.answer is (UNKNOWN if nobody_knows else VIOLATED)
    assert moved.answer is UNKNOWN


def test_it_stands_still_since_it_was_handed_something_last(both_say: Say) -> None:
    said = both_say("stuck-group", LEFT, handed(1, at_s=20), **TOLD)
    late = both_say("stuck-group", LEFT, handed(1, at_s=25), **TOLD)
    nobody = both_say("stuck-group", LEFT, handed(1, at_s=20, completed_ns=None), **TOLD)

    assert (said.answer, said.witnesses[0]["since_ns"]) == (VIOLATED, 20 * S)
    assert (said.witnesses[0]["offset"], said.witnesses[0]["committed"]) == (2, None)
    assert (late.answer, late.reason, nobody.answer) == (HELD, "", UNKNOWN)


def test_a_group_that_committed_it_has_nothing_left(both_say: Say) -> None:
    said = both_say("stuck-group", LEFT, commit(3), **TOLD)
    open_yet = both_say("stuck-group", LEFT, commit(3, (0, None), outcome="invoked"), **TOLD)
    refused = both_say("stuck-group", LEFT, commit(3, outcome="failed"), **TOLD)

    assert (said.answer, open_yet.answer, refused.answer) == (HELD, HELD, VIOLATED)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"groups": TOLD["groups"]}, "nobody told from when on nothing was done"),
        (steady(topics=["returns"]), "nobody told from when on nothing was done"),
        (steady(since_ns=None), "nobody told from when on nothing was done"),
        (steady(until_ns=9 * S), "nobody told from when on nothing was done"),
        (steady(since_ns=25 * S), "left alone for less time"),
        (of_group(**{"session.timeout.ms": None}), "nobody told the group's session.timeout.ms"),
        (of_group(**{"session.timeout.ms": "45000"}), "left alone for less time"),
        ({**TOLD, "topic_settings": {"retention.ms": "1000"}}, "may have been deleted"),
        ({**TOLD, "topic_settings": {"cleanup.policy": "compact"}}, "may have been deleted"),
    ],
)
def test_without_what_it_goes_by_nobody_can_tell(
    told: dict[str, Any], why: str, both_say: Say
) -> None:
    said = both_say("stuck-group", LEFT, **told)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)
    assert why in said.reason


IDLE = [*CLIENTS, *sent(0), *handed(0, at_s=2)]
DIRTY = consumer("dirty", isolation="read_uncommitted")
FOUND = {"action": "end", "checksum": None, "invoked_ns": 70 * S, "completed_ns": 70 * S}


@pytest.mark.parametrize(
    "rows",
    [
        sent(1, at_s=3, acks="1"),
        [send(1, None, (3 * S, 3 * S))],
        [send(1, None, (3 * S, None), outcome="unknown")],
        handed(1, at_s=70, client="somebody"),
        [DIRTY, *handed(1, at_s=70, client="dirty")],
        seen(1, value=None, checksum=None),
        [stored(1, 1, 1), replica(1, 2)],
        [DIRTY, poll(None, 2, client="dirty", **FOUND)],
    ],
)
def test_of_what_may_be_left_nobody_can_tell_unless_a_reader_passed_it(
    rows: list[Row], both_say: Say
) -> None:
    said = both_say("stuck-group", IDLE, rows, **TOLD)
    moving = both_say("stuck-group", IDLE, handed(0, at_s=30), rows, **TOLD)
    passed = both_say("stuck-group", IDLE, rows, poll(None, 2, **FOUND), **TOLD)
    before = both_say(
        "stuck-group", IDLE, rows, poll(None, 2, **{**FOUND, "invoked_ns": S}), **TOLD
    )

    assert (said.answer, said.reason) == (
        UNKNOWN, "1 undecided, nobody knows whether anything was left to read",
    )  # fmt: skip
    is_blank = rows[0][1].get("value") is None and rows[0][1].get("client") == "reader"
    assert (moving.answer, before.answer) == (HELD, UNKNOWN)
    assert passed.answer is (UNKNOWN if is_blank else HELD)


def test_a_record_of_nothing_but_what_the_group_was_handed_is_enough(both_say: Say) -> None:
    assert both_say("stuck-group", IDLE, **TOLD).answer is HELD


def test_a_group_that_is_given_a_partition_too_late_is_stuck_until_then(both_say: Say) -> None:
    rows = [*CLIENTS[:3], assigned(58 * S), *sent(0), *seen(0)]

    assert both_say("stuck-group", rows, **TOLD).answer is VIOLATED


def test_where_a_group_began_has_to_be_known(both_say: Say) -> None:
    rows = [*CLIENTS, *sent(0, 1), *seen(0, 1)]
    latest = of_group(**{"auto.offset.reset": "latest"})

    said = both_say("stuck-group", rows, **latest)
    committed = both_say("stuck-group", rows, commit(1), **latest)
    earliest = both_say("stuck-group", rows, **TOLD)

    assert (said.answer, committed.answer, earliest.answer) == (UNKNOWN, VIOLATED, VIOLATED)
    assert "nobody told where the group began" in said.reason


def test_what_nobody_saw_in_the_log_afterwards_may_be_gone(both_say: Say) -> None:
    rows = [*CLIENTS, *sent(0, 1), *handed(0, at_s=2)]

    unseen = both_say("stuck-group", rows, **TOLD)
    before = both_say("stuck-group", rows, seen(1, at_s=9), **TOLD)
    another = both_say("stuck-group", rows, seen(1, offset=2), **TOLD)
    dirty = consumer("reader", isolation="read_uncommitted")
    uncommitted = both_say("stuck-group", rows[:1], dirty, rows[2:], seen(1), **TOLD)

    assert {one.answer for one in (unseen, before, another, uncommitted)} == {UNKNOWN}
    assert "whether it was there" in unseen.reason


def test_where_transactions_are_a_reader_has_to_have_been_handed_it_in_time(both_say: Say) -> None:
    sender = producer("transactor", transactional_id="tx")
    rows = [*LEFT, sender, send(9, 9, client="transactor", transaction=1)]

    said = both_say("stuck-group", rows, **TOLD)
    in_time = both_say("stuck-group", rows, seen(1, at_s=20), **TOLD)
    too_late = both_say("stuck-group", rows, seen(1, at_s=30), **TOLD)
    unknown = both_say("stuck-group", LEFT, send(9, 9, client="somebody"), **TOLD)

    assert (said.answer, in_time.answer, too_late.answer) == (UNKNOWN, VIOLATED, UNKNOWN)
    assert unknown.answer is UNKNOWN


def test_what_was_acknowledged_too_late_says_nothing(both_say: Say) -> None:
    rows = [*CLIENTS, *sent(0), *handed(0, at_s=2), *sent(1, at_s=30), *seen(0, 1)]

    assert both_say("stuck-group", rows, **TOLD).answer is UNKNOWN


def test_who_may_be_a_member_may_have_been_handed_it(both_say: Say) -> None:
    said = both_say("stuck-group", LEFT, handed(2, at_s=3, client="somebody"), **TOLD)
    lower = both_say("stuck-group", LEFT, handed(0, at_s=3, client="somebody"), **TOLD)
    nowhere = both_say("stuck-group", LEFT, handed(2, at_s=3, offset=None), **TOLD)

    assert (said.answer, lower.answer, nowhere.answer) == (UNKNOWN, VIOLATED, UNKNOWN)


def test_partitions_and_groups_are_asked_one_by_one(both_say: Say) -> None:
    audit = consumer("audit-1", group_id="audit", began_ns=0)
    elsewhere = [assigned(0, partition=1), assigned(0, "audit-1", group="audit"), audit]
    everything = handed(0, 1, 2, at_s=3, client="audit-1")

    said = both_say("stuck-group", LEFT, elsewhere, everything, **TOLD)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)


def test_without_assignments_nothing_is_asked(both_say: Say) -> None:
    said = both_say("stuck-group", LEFT[:3], LEFT[4:], **TOLD)

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no assignments")


def test_what_who_left_was_handed_and_nobody_committed_is_to_be_handed_again(both_say: Say) -> None:
    """The heir stands still, and all that is left its predecessor had been handed."""
    heir = [consumer("billing-2", group_id="billing", began_ns=5 * S), assigned(5 * S, "billing-2")]
    rows = [*CLIENTS, *heir, *sent(0, 1, 2), *handed(0, 1, 2, at_s=2), *seen(0, 1, 2)]

    said = both_say("stuck-group", rows, commit(1), **TOLD)
    asked = both_say("stuck-group", rows, commit(1), commit(3, outcome="failed"), **TOLD)
    unseen = both_say("stuck-group", rows, commit(1), **of_group(commits="auto"))
    untold = both_say("stuck-group", rows, **TOLD)
    stayed = both_say("stuck-group", rows, commit(1), handed(2, at_s=6), **TOLD)
    again = both_say(
        "stuck-group", rows, commit(1), handed(1, 2, at_s=6, client="billing-2"), **TOLD
    )

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert (said.witnesses[0]["offset"], said.witnesses[0]["committed"]) == (1, 1)
    assert [each.answer for each in (asked, unseen, untold, stayed, again)] == [HELD] * 5
