"""What is in the log alone, or with readers alone: when that is told, and when nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    consumer,
    end,
    poll,
    producer,
    replica,
    send,
    stored,
)

pytestmark = pytest.mark.spark

LOG = [stored(1, 0, 9), stored(1, 1, 1), stored(1, 2, 8), replica(1, 3)]


def told(row: Row, invoked_ns: int, completed_ns: int | None, **more: Any) -> Row:
    table, columns = row
    return table, {**columns, "invoked_ns": invoked_ns, "completed_ns": completed_ns, **more}


def around(sent: Row) -> list[Row]:
    """Records before and behind one that was sent, which a reader was handed, and the log's end."""
    first, last = told(poll(9, 0), 30, 31), told(poll(8, 2), 40, 45)
    return [send(9, 0), send(8, 2), sent, first, last, told(end(3), 50, 51)]


# unseen: what came before what


def test_a_record_that_was_passed_after_it_was_acknowledged_is_unseen(both_say: Say) -> None:
    said = both_say("unseen", around(send(1, 1, (0, 39))), LOG)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)


def test_a_record_that_was_acknowledged_at_the_tick_of_a_poll_may_have_been_passed_before(
    both_say: Say,
) -> None:
    said = both_say("unseen", around(send(1, 1, (0, 40))), LOG)

    assert (said.answer, said.considered) == (UNKNOWN, 3)


def test_nobody_can_tell_of_a_record_of_which_nobody_told_when_it_was_acknowledged(
    both_say: Say,
) -> None:
    said = both_say("unseen", around(send(1, 1, (0, None))), LOG)

    assert (said.answer, said.considered) == (UNKNOWN, 3)
    assert said.reason == "1 undecided, nobody told when it was acknowledged"


def test_nobody_can_tell_of_a_record_whose_clock_ran_backwards(both_say: Say) -> None:
    said = both_say("unseen", around(send(1, 1, (25, 3))), LOG)

    assert (said.answer, said.considered) == (UNKNOWN, 3)
    assert said.reason == "1 undecided, a clock ran backwards"


def test_a_poll_whose_clock_ran_backwards_does_not_say_when_its_reader_passed(
    both_say: Say,
) -> None:
    sends = [send(9, 0), send(8, 2), send(1, 1, (65, 70))]
    polls = [told(poll(9, 0), 40, 41), told(poll(8, 2), 100, 50), told(end(3), 101, 102)]

    said = both_say("unseen", sends, polls, LOG)
    other = [told(poll(9, 0), 80, 81, client="b"), told(poll(8, 2), 82, 83, client="b")]
    with_another = both_say("unseen", sends, polls, other, LOG)

    assert (said.answer, said.considered) == (UNKNOWN, 3)
    assert with_another.answer is VIOLATED


def test_an_end_whose_clock_ran_backwards_does_not_say_when_its_reader_passed(
    both_say: Say,
) -> None:
    first = [send(9, 0), told(poll(9, 0), 30, 31), send(1, 1, (0, 60))]
    log = [stored(1, 0, 9), stored(1, 1, 1), replica(1, 2)]

    said = both_say("unseen", first, told(end(2), 70, 50), log)
    sound = both_say("unseen", first, told(end(2), 70, 71), log)

    assert (said.answer, said.considered) == (UNKNOWN, 2)
    assert sound.answer is VIOLATED


# unseen: what is asked


def test_what_is_below_the_start_of_the_leaders_log_is_not_unseen(both_say: Say) -> None:
    """Of a segment that is not deleted yet records may lie below it."""
    log = [*LOG[:3], replica(1, 3, log_start_offset=2)]

    said = both_say("unseen", around(send(1, 1)), log)

    assert (said.answer, said.considered) == (HELD, 1)


def test_a_copy_of_an_attempt_that_was_aborted_is_not_unseen(both_say: Say) -> None:
    """The log has another copy than the one that was acknowledged, which has been lost."""
    tx = producer("tx", transactional_id="tx")
    again = send(1, None, (4, 5), client="tx", outcome="failed")
    sends = [send(9, 0), send(1, 1, (2, 3)), again, send(8, 3, (6, 7))]
    reads = [told(poll(9, 0), 20, 21), told(poll(8, 3), 22, 23), told(end(4), 24, 25)]
    log = [stored(1, offset, value) for offset, value in enumerate((9, 7, 1, 8))]

    said = both_say("unseen", tx, sends, reads, log, replica(1, 4))

    assert (said.answer, said.considered) == (HELD, 2)


# lost-write


def test_what_is_compacted_away_may_be_lost_whether_it_was_read_or_not(both_say: Say) -> None:
    both = [send(1, 0), send(2, 1), poll(1, 0), poll(2, 1), end(2)]
    compacted = [stored(1, 1, 2), replica(1, 2)]
    deleted = [stored(1, 1, 2), replica(1, 2, log_start_offset=1)]
    settings = {"cleanup.policy": "compact"}

    said = both_say("lost-write", both, compacted, topic_settings=settings)
    gone = both_say("lost-write", both, deleted)

    assert (said.answer, said.reason) == (
        UNKNOWN,
        "1 undecided, orders-0: the topic is compacted",
    )
    assert (gone.answer, gone.considered) == (HELD, 2)


@pytest.mark.parametrize("compacted", ["orders", "payments"])
def test_a_topic_has_settings_of_its_own(both_say: Say, compacted: str) -> None:
    both = [send(1, 0), send(2, 1), poll(1, 0), poll(2, 1), end(2)]
    topics = {compacted: {"cleanup.policy": "compact"}, "others": {"cleanup.policy": "compact"}}

    said = both_say("lost-write", both, [stored(1, 1, 2), replica(1, 2)], topics=topics)

    assert said.answer is (UNKNOWN if compacted == "orders" else VIOLATED)


# where readers began

GOES_ON = [producer(), send(1, 0), send(2, 1), told(poll(2, 1), 6, 7), told(end(2), 8, 9)]
BOTH = [stored(1, 0, 1), stored(1, 1, 2, position=9), replica(1, 2)]


def test_who_begins_at_the_earliest_offset_has_passed_all_below_its_first_record(
    both_say: Say,
) -> None:
    lost = both_say("lost-write", GOES_ON, consumer())
    unseen = both_say("unseen", GOES_ON, BOTH, consumer())

    assert (lost.answer, unseen.answer) == (VIOLATED, VIOLATED)


def test_a_member_of_a_group_goes_on_where_that_had_committed(both_say: Say) -> None:
    """`auto.offset.reset` is what it does without a position, be it one of another run."""
    lost = both_say("lost-write", GOES_ON, consumer(group_id="billing"))
    unseen = both_say("unseen", GOES_ON, BOTH, consumer(group_id="billing"))
    between = both_say("lost-write", GOES_ON, told(poll(3, 0), 4, 5), consumer(group_id="billing"))

    assert (lost.answer, lost.reason) == (
        UNKNOWN, "1 undecided, orders-0: unseen, no reader is known to have passed its offset"
    )  # fmt: skip
    assert (unseen.answer, unseen.anomalies) == (HELD, 0)
    assert (between.answer, between.anomalies) == (VIOLATED, 1)
