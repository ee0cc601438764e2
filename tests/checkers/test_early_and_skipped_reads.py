"""What clients were handed of their own before its time, and what readers were not handed."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Say,
    end,
    poll,
    producer,
    replica,
    send,
    stored,
)

pytestmark = pytest.mark.spark


# precommitted-read


@pytest.mark.parametrize("other", ["a", "z"])
def test_names_do_not_say_whose_record_a_reader_was_handed(both_say: Say, other: str) -> None:
    """Two clients sent one value: the record may be of either."""
    clients = [producer(name, transactional_id=name) for name in ("m", other)]
    sends = [send(1, 0, (0, 100), client="m"), send(1, None, (0, 10), client=other)]
    early = poll(1, 0, client="m", invoked_ns=50, completed_ns=51)

    said = both_say("precommitted-read", clients, sends, early)

    assert (said.answer, said.considered) == (UNKNOWN, 1)
    assert said.reason == "1 undecided, it was sent more than once"


def test_a_record_of_others_only_is_not_asked_for(both_say: Say) -> None:
    clients = [producer(name, transactional_id=name) for name in "mz"]
    sends = [send(1, 0, (0, 100), client="z"), send(2, 1, (0, 9), client="m")]
    reads = [poll(1, 0, client="m"), poll(2, 1, client="m", invoked_ns=20, completed_ns=21)]

    said = both_say("precommitted-read", clients, sends, reads)

    assert (said.answer, said.considered) == (HELD, 1)


# poll-skip


def test_what_may_be_deleted_on_some_replica_need_not_have_been_handed_out(both_say: Say) -> None:
    """Each replica deletes by itself, and any of them may have led when the reader came by."""
    sends = [send(value, value) for value in range(3)]
    reads = [poll(value, value, client="a") for value in range(3)]
    skipping = [poll(0, 0, client="b"), poll(2, 2, client="b"), end(3)]
    log = [stored(1, value, value) for value in range(3)]

    deleted = replica(2, 3, log_start_offset=2)
    said = both_say(
        "poll-skip", sends, reads, skipping, log, replica(1, 3), deleted, stored(2, 2, 2)
    )
    whole = both_say("poll-skip", sends, reads, skipping, log, replica(1, 3), replica(2, 3))

    assert (said.answer, said.reason) == (UNKNOWN, "1 undecided, deleted or compacted since")
    assert (whole.answer, whole.anomalies) == (VIOLATED, 1)


def test_a_record_that_was_sent_when_a_reader_had_passed_its_offset_is_not_skipped(
    both_say: Say,
) -> None:
    """There was the marker of a transaction, until an unclean leader had a shorter log."""
    passing = [poll(1, 0), poll(3, 2)]
    late = [
        poll(value, value - 1, client="late", invoked_ns=20, completed_ns=21) for value in (1, 2)
    ]

    said = both_say("poll-skip", send(2, 1, (10, 11)), passing, late)
    earlier = both_say("poll-skip", send(2, 1, (3, 4)), passing, late)
    again = poll(4, 3, invoked_ns=12, completed_ns=13)
    gone_on = both_say("poll-skip", send(2, 1, (10, 11)), passing, again, late)

    reason = "1 undecided, sent when the reader had passed its offset"
    assert (said.answer, said.reason) == (UNKNOWN, reason)
    assert (gone_on.answer, gone_on.reason) == (UNKNOWN, reason)
    assert (earlier.answer, earlier.anomalies) == (VIOLATED, 1)


def test_nobody_can_tell_when_a_poll_passed_of_which_nobody_told_the_end(both_say: Say) -> None:
    passing = [poll(1, 0), poll(3, 2, invoked_ns=5, completed_ns=None)]
    late = [
        poll(value, value - 1, client="late", invoked_ns=20, completed_ns=21) for value in (1, 2)
    ]

    said = both_say("poll-skip", send(2, 1, (10, 11)), passing, late)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)


def test_a_reader_is_handed_what_stands_in_the_log_by_then(both_say: Say) -> None:
    """Of three records the last two were lost, and a marker stands where one of them did."""
    before = [poll(value, value, client="early") for value in range(3)]
    log = [stored(1, 0, 0), stored(1, 1, None, is_control=True), stored(1, 2, 7)]
    after = [poll(0, 0, client="late"), poll(7, 2, client="late")]

    said = both_say("poll-skip", before, after, log, replica(1, 3))
    nothing = both_say("poll-skip", before, after, log[::2], replica(1, 3))
    there = both_say("poll-skip", before, after, [*log[:1], stored(1, 1, 1), log[2]], replica(1, 3))

    reason = "1 undecided, the leader's log has something else at its offset, or nothing"
    assert (said.answer, said.reason) == (UNKNOWN, reason)
    assert (nothing.answer, nothing.reason) == (UNKNOWN, reason)
    assert (there.answer, there.anomalies) == (VIOLATED, 1)


def test_of_an_offset_at_which_two_values_were_handed_out_nobody_can_tell(both_say: Say) -> None:
    others = [poll(value, 1, client=f"reader of {value}") for value in (1, 2)]

    said = both_say("poll-skip", poll(0, 0), poll(3, 2), others)

    reason = "1 undecided, readers were handed several values at its offset"
    assert (said.answer, said.reason) == (UNKNOWN, reason)


@pytest.mark.parametrize("name", ["retention.ms", "retention.bytes"])
def test_where_nobody_told_what_was_deleted_a_limit_to_retention_excuses_gaps(
    both_say: Say, name: str
) -> None:
    reads = [poll(value, value, client="early") for value in range(5)]
    gaps = [poll(value, value, client="late") for value in (1, 4)]

    limited = both_say("poll-skip", reads, gaps, topic_settings={name: "1"})
    endless = both_say("poll-skip", reads, gaps, topic_settings={name: "-1"})

    assert (limited.answer, limited.anomalies) == (UNKNOWN, 0)
    assert "deleted or compacted since" in limited.reason
    assert (endless.answer, endless.anomalies) == (VIOLATED, 2)


@pytest.mark.parametrize("name", ["retention.ms", "retention.bytes"])
def test_a_log_that_nobody_told_the_start_of_may_have_kept_what_was_deleted(
    both_say: Say, name: str
) -> None:
    """Whole files are deleted: the last one that is left has records from before the start."""
    reads = [poll(value, value, client="early") for value in range(5)]
    gaps = [poll(value, value, client="late") for value in (1, 4)]
    log = [stored(1, value, value) for value in range(5)]
    untold = replica(1, 5, log_start_offset=None)

    limited = both_say("poll-skip", reads, gaps, log, untold, topic_settings={name: "1"})
    endless = both_say("poll-skip", reads, gaps, log, untold, topic_settings={name: "-1"})

    assert (limited.answer, limited.anomalies) == (UNKNOWN, 0)
    assert "deleted or compacted since" in limited.reason
    assert (endless.answer, endless.anomalies) == (VIOLATED, 2)


@pytest.mark.parametrize("name", ["retention.ms", "retention.bytes"])
def test_what_retention_may_have_taken_before_readers_came_is_not_called_lost(
    both_say: Say, name: str
) -> None:
    sends = [send(value, value, (value, value + 1)) for value in range(5)]
    gaps = [poll(value, value, client="late") for value in (1, 4)]
    known = [replica(broker, 5, log_start_offset=2, is_leader=False) for broker in (1, 2)]

    limited = both_say("lost-write", sends, gaps, topic_settings={name: "1"})
    endless = both_say("lost-write", sends, gaps, topic_settings={name: "-1"})
    told = both_say("lost-write", sends, gaps, known, topic_settings={name: "1"})

    assert (limited.answer, limited.anomalies) == (UNKNOWN, 0)
    assert "retention may have deleted it before any reader came to it" in limited.reason
    assert (endless.answer, endless.anomalies) == (VIOLATED, 2)
    assert (told.answer, told.anomalies) == (VIOLATED, 2)
