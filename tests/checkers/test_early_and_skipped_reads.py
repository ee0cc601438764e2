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
