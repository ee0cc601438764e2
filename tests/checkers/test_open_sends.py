"""Sends that wait, and those that nobody knows the end of."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, poll, producer, send

pytestmark = pytest.mark.spark

SECOND = 10**9


def nameless(offset: int | None, at: tuple[int, int | None], **more: object) -> Row:
    """A send without a value."""
    table, row = send(1, offset, at, **more)
    return table, {**row, "value": None, "checksum": None}


def stall(position: int, at: tuple[int, int]) -> Row:
    times = {"invoked_ns": at[0], "completed_ns": at[1]}
    return poll(None, position, action="stall", checksum=None, **times)


# which row supersedes another


def test_a_send_of_another_operation_does_not_end_one_that_began_with_it(both_say: Say) -> None:
    """Of one client, without values, and at one tick of its clock."""
    ended = nameless(0, (2, 3))
    open_yet = nameless(None, (2, None), outcome="invoked")

    said = both_say("stuck-reader", ended, open_yet, send(7, 1, (4, 5)), stall(1, (20, 40)))

    assert (said.answer, said.reason) == (
        UNKNOWN,
        "1 undecided, a transaction may have been open",
    )


def test_an_attempt_at_the_moment_of_another_one_is_open_by_itself(both_say: Say) -> None:
    tx = producer("tx", transactional_id="tx")
    first = send(1, 0, (2, 3), client="tx")
    again = send(1, None, (2, None), client="tx", outcome="invoked")
    seen = [send(7, 1, (4, 5), client="tx"), poll(1, 0, invoked_ns=8, completed_ns=9)]

    said = both_say("stuck-reader", tx, first, again, seen, stall(1, (20, 40)))

    assert said.answer is UNKNOWN


def test_a_send_waits_on_that_began_with_another_one(both_say: Say) -> None:
    sends = [send(5, 0, (0, 1)), nameless(1, (2, 3))]
    open_yet = nameless(None, (2, None), outcome="invoked")
    late = poll(5, 0, invoked_ns=60 * SECOND, completed_ns=60 * SECOND)

    said = both_say("stalled-sends", sends, open_yet, late)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_a_row_of_the_same_operation_ends_it(both_say: Say) -> None:
    sends = [send(5, 0, (0, 1)), send(6, None, (2, None), outcome="invoked", op=9)]
    late = poll(5, 0, invoked_ns=60 * SECOND, completed_ns=60 * SECOND)

    said = both_say("stalled-sends", sends, send(6, 1, (2, 3), op=9), late)

    assert (said.answer, said.considered) == (HELD, 1)


# stalled-sends


def test_commits_of_transactions_are_acknowledgements_too(both_say: Say) -> None:
    """One answer is lost while a transaction is committed each second: nothing stands still."""
    tx = producer("tx", transactional_id="tx")
    committed = [
        send(100 + at, 2 * at, (at * SECOND, at * SECOND + SECOND // 2), client="tx")
        for at in range(45)
    ]
    lost = send(2, None, (2 * SECOND, 40 * SECOND), outcome="unknown")

    said = both_say("stalled-sends", tx, committed, lost)
    alone = both_say("stalled-sends", tx, committed[:1], lost)

    assert (said.answer, said.considered) == (HELD, 1)
    assert said.reason == "the longest time without an acknowledgement: 0.9 s"
    assert alone.answer is VIOLATED


def test_sends_in_transactions_alone_are_not_asked(both_say: Say) -> None:
    tx = producer("tx", transactional_id="tx")

    said = both_say("stalled-sends", tx, send(1, 0, (0, 40 * SECOND), client="tx"))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_nothing_is_asked_of_sends_that_wait_for_no_acknowledgement(both_say: Say) -> None:
    said = both_say("stalled-sends", [send(value, acks="0") for value in (1, 2)])

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert said.reason == (
        "nothing to judge: the record has no partitions with sends that wait for acknowledgements"
    )


def test_nothing_is_asked_of_a_send_of_which_nobody_told_when_it_ended(both_say: Say) -> None:
    said = both_say("stalled-sends", send(1, 0, (0, None)))

    assert (said.answer, said.considered) == (UNKNOWN, 0)
