"""Literal histories of when readers passed what they were not handed: `unseen` and `lost-write`."""

from __future__ import annotations

import random

import pytest
from tests.checkers.conftest import (
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    consumer,
    end,
    judged,
    poll,
    replicas,
    send,
    stored,
)

from highwater.harness.model import Answer, Verdict

pytestmark = pytest.mark.spark

THREE_STORED = [stored(1, 0, 10), stored(1, 1, 11), stored(1, 2, 12)]


@judged("unseen", send(10, 0), send(11, 1, (5, 7)), send(12, 2), poll(10, 0), poll(12, 2), end(3),
        replicas(3), THREE_STORED)  # fmt: skip
def test_who_may_have_passed_before_a_record_was_there_proves_nothing(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 3, 0)
    assert "readers may have passed its offset before it was acknowledged" in verdict.reason


@judged("lost-write", send(10, 0), send(11, 1, (6, 7)), send(12, 2), poll(10, 0), poll(12, 2))
def test_who_had_passed_before_a_record_was_sent_loses_nothing(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 3, 0)
    assert "readers had passed its offset before it was sent" in verdict.reason


@judged("lost-write", send(10, 0), send(11, 1, (5, 7)), send(12, 2), poll(10, 0), poll(12, 2))
def test_who_passes_while_a_record_is_sent_ought_to_have_been_handed_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 3, 1)


@pytest.mark.parametrize(("position", "answer"), [(3, UNKNOWN), (2, VIOLATED)])
def test_of_one_moment_a_reader_went_forward(both_say: Say, position: int, answer: Answer) -> None:
    """To an end, and from there on; or to a record, and from there to the end."""
    ended = poll(None, 3, action="end", checksum=None, invoked_ns=0, completed_ns=2)
    handed = poll(12, position, invoked_ns=2, completed_ns=5)

    said = both_say("lost-write", send(11, 0, (4, 6)), ended, handed, consumer())

    assert (said.answer, said.considered) == (answer, 1)


MANY, GAP = 1300, 651  # polls of a record each, more than are kept one by one; nobody got GAP


def _one_by_one(at: tuple[int, int]) -> list[Row]:
    """A record is handed out every 10 ns; that at GAP, which nobody is, was sent at this time."""
    others = [offset for offset in range(MANY) if offset != GAP]
    sent = [send(10 + one, one, (10 * one, 10 * one + 1)) for one in others]
    read = [
        poll(10 + one, one, invoked_ns=10 * one + 2, completed_ns=10 * one + 3) for one in others
    ]
    return [*sent, send(9, GAP, at, client="late"), *read]


def _shuffled(rows: list[Row]) -> list[Row]:
    return random.Random(7).sample(rows, len(rows))


AFTER_THE_PASSING = _one_by_one((10 * GAP + 14, 10 * GAP + 16))
LONG_BEFORE_IT = _one_by_one((10, 11))


@judged("lost-write", AFTER_THE_PASSING)
def test_of_very_many_polls_each_has_its_own_time(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, MANY)
    assert "readers had passed its offset before it was sent" in verdict.reason


@judged("lost-write", _shuffled(AFTER_THE_PASSING))
def test_of_very_many_polls_each_has_its_own_time_in_whatever_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, MANY)


@judged("lost-write", _shuffled(LONG_BEFORE_IT))
def test_of_very_many_polls_none_had_passed_before_it_was_sent(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, MANY, 1)


STORED_ONE_BY_ONE = [stored(1, one, 9 if one == GAP else 10 + one, position=one)
                     for one in range(MANY)]  # fmt: skip


@judged("unseen", _shuffled(LONG_BEFORE_IT), replicas(MANY), STORED_ONE_BY_ONE)
def test_of_very_many_polls_one_ought_to_have_seen_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, MANY, 1)


@judged("unseen", _shuffled(AFTER_THE_PASSING), replicas(MANY), STORED_ONE_BY_ONE)
def test_of_very_many_polls_none_came_after_it_was_acknowledged(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, MANY)


@judged(
    "lost-write",
    send(10, 0),
    send(12, 2),
    poll(10, 0, invoked_ns=2, completed_ns=3),
    poll(12, 2, invoked_ns=4, completed_ns=None),
    send(11, 1, (50, 60), client="late"),
)
def test_a_poll_that_nobody_knows_the_end_of_may_pass_at_any_time(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 3, 1)


@judged("lost-write", send(10, 0), poll(10, 0, invoked_ns=2, completed_ns=3),
        poll(None, 2, action="end", checksum=None, invoked_ns=4, completed_ns=100),
        send(11, 1, (50, 60), client="late"))  # fmt: skip
def test_a_reader_may_pass_until_it_has_been_told_the_end(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)


@judged("unseen", send(10, 0), send(12, 2), send(11, 1, (0, 5)),
        poll(12, 2, invoked_ns=6, completed_ns=7), poll(10, 0, invoked_ns=2, completed_ns=3),
        poll(12, 2, invoked_ns=5, completed_ns=6, client="other"),
        poll(10, 0, invoked_ns=2, completed_ns=3, client="other"),
        replicas(3), THREE_STORED)  # fmt: skip
def test_who_passes_after_a_record_was_acknowledged_ought_to_see_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 3, 1)


@judged("unseen", send(10, 0), send(12, 2), send(11, 1, (0, 5)), poll(10, 0, invoked_ns=2),
        poll(12, 2, invoked_ns=5), end(3), replicas(3), THREE_STORED)  # fmt: skip
def test_who_passes_as_a_record_is_acknowledged_may_have_passed_before(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 3, 0)
