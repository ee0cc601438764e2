"""Clients that say that they have flushed, and what they had no outcome of: literal histories."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    flushed,
    poll,
    producer,
    send,
)

pytestmark = pytest.mark.spark

CLAIM = "flushed-too-early"


def test_a_record_that_was_sent_before_and_acknowledged_after_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, send(1, 0, (0, 9)), send(2, 1, (1, 4)), flushed(3, 5))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses == [
        {"client": "producer", "value": 1, "topic": "orders", "partition": 0, "invoked_ns": 0,
         "flushed_ns": 5, "completed_ns": 9}
    ]  # fmt: skip


@pytest.mark.parametrize("outcome", ["failed", "unknown"])
def test_that_it_had_failed_is_an_outcome_too_and_has_to_be_known(
    both_say: Say, outcome: str
) -> None:
    early = both_say(CLAIM, send(1, None, (0, 9), outcome=outcome), flushed(3, 5))
    timely = both_say(CLAIM, send(1, None, (0, 4), outcome=outcome), flushed(3, 5))

    assert (early.answer, timely.answer) == (VIOLATED, HELD)


def test_a_record_that_has_never_had_an_outcome_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, send(1, None, (0, None), outcome="invoked"), flushed(3, 5))

    assert said.answer is VIOLATED
    assert said.witnesses[0]["completed_ns"] is None


def test_one_that_was_open_when_it_was_first_told_of_is_the_one_that_ended(both_say: Say) -> None:
    opened = send(1, None, (0, None), outcome="invoked", op=7)

    said = both_say(CLAIM, opened, opened, send(1, 0, (0, 5), op=7), flushed(3, 5))

    assert (said.answer, said.considered) == (HELD, 1)


def test_what_is_sent_while_it_flushes_or_later_may_end_whenever_it_likes(both_say: Say) -> None:
    said = both_say(
        CLAIM, send(1, 0, (0, 4)), send(2, 1, (3, 9)), send(3, 2, (6, None)), flushed(3, 5)
    )

    assert (said.answer, said.considered) == (HELD, 1)


def test_an_outcome_that_came_at_that_moment_came_before(both_say: Say) -> None:
    said = both_say(CLAIM, send(1, 0, (0, 5)), flushed(3, 5))

    assert said.answer is HELD


def test_each_flush_has_to_wait_and_a_record_is_charged_once(both_say: Say) -> None:
    said = both_say(
        CLAIM, send(1, 0, (0, 4)), send(2, 1, (6, 30)), flushed(3, 5), flushed(7, 20), flushed(8, 9)
    )

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses[0]["flushed_ns"] == 9


def test_what_others_send_is_not_its_own(both_say: Say) -> None:
    said = both_say(
        CLAIM, send(1, 0, (0, 4)), send(2, 1, (0, 9), client="other"), poll(1, 0), flushed(3, 5)
    )

    assert (said.answer, said.considered) == (HELD, 1)


def test_nobody_can_tell_of_a_send_that_ended_nobody_knows_when(both_say: Say) -> None:
    said = both_say(CLAIM, send(1, 0, (0, None)), flushed(3, 5))

    assert said.answer is UNKNOWN
    assert "nobody told when it ended" in said.reason


@pytest.mark.parametrize(
    "rows",
    [(send(1, 0, (2, 1)), flushed(3, 5)), (send(1, 0, (0, 4)), flushed(9, 3))],
    ids=["of a send", "of a flush"],
)
def test_nobody_can_tell_where_a_clock_ran_backwards(both_say: Say, rows: list[object]) -> None:
    said = both_say(CLAIM, *rows)

    assert said.answer is UNKNOWN
    assert "a clock ran backwards" in said.reason


@pytest.mark.parametrize(
    "rows",
    [[send(1, 0, (0, 9), transaction=4)], [producer(transactional_id="tx"), send(1, 0, (0, 9))]],
    ids=["by its number", "by its client"],
)
def test_a_record_of_a_transaction_ends_with_that_whenever_it_was_acknowledged(
    both_say: Say, rows: list[Row]
) -> None:
    """Applications flush in a transaction, and commit it later."""
    said = both_say(CLAIM, rows, flushed(3, 5))
    over = both_say(CLAIM, rows, flushed(3, 9))

    assert (said.answer, said.considered, over.answer) == (UNKNOWN, 1, HELD)
    assert "1 undecided, sent in a transaction that ended later" in said.reason


def test_one_flush_that_cannot_be_told_excuses_no_other(both_say: Say) -> None:
    said = both_say(CLAIM, send(1, 0, (0, 9)), flushed(9, 3), flushed(3, 5))

    assert said.answer is VIOLATED


def test_who_says_that_it_cannot_flush_has_promised_nothing(both_say: Say) -> None:
    failed = flushed(3, 5, error="Timeout")

    said = both_say(CLAIM, send(1, 0, (0, 9)), failed)
    again = both_say(CLAIM, send(1, 0, (0, 9)), failed, flushed(6, 7))

    assert (said.answer, said.considered) == (HELD, 1)
    assert "1 were to be flushed by one that failed" in said.reason
    assert again.answer is VIOLATED


def test_who_never_flushed_has_promised_nothing(both_say: Say) -> None:
    without = both_say(CLAIM, send(1, 0, (0, 9)))
    afterwards = both_say(CLAIM, send(1, 0, (6, 9)), flushed(3, 5))

    assert (without.answer, without.reason) == (UNKNOWN, "the record has no flushes")
    assert afterwards.answer is UNKNOWN
