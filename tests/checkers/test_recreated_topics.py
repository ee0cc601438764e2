"""Literal histories of a topic that was deleted and created again: two topics, and two names."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    VIOLATED,
    Row,
    Say,
    end,
    judged,
    look,
    poll,
    replicas,
    send,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

AGAIN = {"topic": "orders#2"}
FIRST = [send(10, 0), send(11, 1), poll(10, 0), poll(11, 1), *replicas(2)]
FIRST += [stored(broker, *each) for broker in (1, 2, 3) for each in ((0, 10), (1, 11))]


def again(row: Row, **more: object) -> Row:
    table, columns = row
    return table, {**columns, **AGAIN, **more}


def held_again(broker: int, *values: int) -> list[Row]:
    return [again(stored(broker, offset, value)) for offset, value in enumerate(values)]


ENDS = [again(row) for row in replicas(2)]
SENT = [again(send(20, 0)), again(send(21, 1))]
SECOND = [*SENT, again(poll(20, 0)), again(poll(21, 1)), *ENDS]
SECOND += [row for broker in (1, 2, 3) for row in held_again(broker, 20, 21)]
# The final leader, 1, has brought the first record of the topic before.
LEFT = [*SENT, again(poll(10, 0)), again(poll(21, 1)), *ENDS, *held_again(1, 10, 21)]
LEFT += [row for broker in (2, 3) for row in held_again(broker, 20, 21)]


@judged("lost-write", FIRST, SECOND)
def test_what_the_first_one_had_is_not_missed_in_the_second(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 4)


@judged("inconsistent-offsets", FIRST, SECOND)
def test_one_offset_of_each_holds_a_value_of_its_own(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 4)


@judged("lost-write", FIRST, LEFT)
def test_what_stands_in_the_place_of_the_second_ones_record_has_lost_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 4, 1)
    assert (verdict.witnesses[0]["topic"], verdict.witnesses[0]["value"]) == ("orders#2", 20)


@judged("phantom-read", FIRST, LEFT)
def test_a_record_of_the_first_one_is_a_phantom_in_the_second(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)
    assert (verdict.witnesses[0]["topic"], verdict.witnesses[0]["value"]) == ("orders#2", 10)


def test_a_ghost_is_one_where_nobody_has_sent_to_the_second_yet(both_say: Say) -> None:
    said = both_say("phantom-read", FIRST, again(poll(10, 0)), *ENDS)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)


def seen(at_s: int, high_watermark: int, topic_id: str | None) -> Row:
    at_ns = at_s * 10**9
    return look(at_ns, 1, high_watermark, high_watermark, topic_id=topic_id)


@pytest.mark.parametrize("ids", [("a", "b"), (None, "b"), ("a", "a")])
@pytest.mark.parametrize(
    "claim", ["committed-truncation", "high-watermark-regression", "leader-high-watermark"]
)
def test_looks_at_two_topics_of_one_name_are_judged_apart(
    both_say: Say, claim: str, ids: tuple[str | None, str]
) -> None:
    first, second = ids
    is_one = first in (None, second)
    looks = [seen(1, 5, first), seen(40, 1, second), seen(41, 1, second)]

    said = both_say(claim, looks)

    assert (said.answer is VIOLATED) == (is_one and claim != "leader-high-watermark")


@judged("replica-divergence", FIRST, LEFT)
def test_a_replica_with_a_record_of_the_first_one_differs(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("phantom-read", FIRST, SECOND, again(end(2)))
def test_each_was_sent_what_its_readers_were_handed(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 4)
