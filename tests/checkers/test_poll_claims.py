"""Literal histories of what single readers were handed, in which order, and of sends that wait."""

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
    judged,
    poll,
    producer,
    replicas,
    send,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

# nonmonotonic-poll


@judged("nonmonotonic-poll", poll(10, 0), poll(20, 7, partition=1), poll(11, 1), poll(14, 4),
        poll(10, 0, client="reader-2"), poll(None, 5))  # fmt: skip
def test_readers_that_go_forward_each_for_itself_are_in_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 6)


@judged("nonmonotonic-poll", poll(10, 0), poll(11, 1), poll(12, 2), poll(11, 1), poll(12, 2),
        poll(13, 3))  # fmt: skip
def test_a_reader_that_is_handed_records_again_has_gone_back(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    shown = [(w["offset"], w["op"], w["after_offset"], w["after_op"]) for w in verdict.witnesses]
    assert shown == [(1, 3, 1, 1), (2, 4, 2, 2)]


@judged("nonmonotonic-poll", poll(20, 1 << 40, op=5), poll(10, 3, op=9), poll(11, 4, op=2))
def test_what_was_handed_first_is_told_however_far_above_it_stands(verdict: Verdict) -> None:
    (witness,) = verdict.witnesses
    assert (witness["offset"], witness["after_offset"], witness["after_op"]) == (3, 4, 2)


@judged("nonmonotonic-poll", send(10, 0), end(1), poll(10, 0, outcome="failed"))
def test_without_a_poll_nothing_is_said_of_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# poll-skip


@judged("poll-skip", poll(10, 0), poll(12, 2), poll(14, 4), poll(10, 0, client="other"),
        poll(11, 1, partition=1), poll(20, 1, topic="theirs"))  # fmt: skip
def test_offsets_that_nobody_was_handed_are_no_gap(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 6)


@judged("poll-skip", poll(10, 0), poll(11, 1), poll(13, 3), poll(14, 4),
        poll(12, 2, client="other"), poll(15, 5, client="other"))  # fmt: skip
def test_what_another_reader_was_handed_is_skipped_by_one_who_went_past_it(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 3)
    shown = [(w["offset"], w["client"], w["handed_to"]) for w in verdict.witnesses]
    assert shown == [(2, "reader", "other"), (3, "other", "reader"), (4, "other", "reader")]


@judged("poll-skip", poll(10, 0), poll(11, None), poll(12, 2), poll(11, 1, client="other"))
def test_what_it_was_handed_at_an_unknown_offset_may_be_what_it_seems_to_lack(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 4, 0)
    assert "1 undecided, nobody told at which offsets it was handed some" in verdict.reason


@judged("poll-skip", poll(10, 0), poll(11, -1, partition=1), poll(12, 2),
        poll(11, 1, client="other"), poll(12, None, client="other"))  # fmt: skip
def test_what_is_not_told_of_others_or_elsewhere_excuses_no_gap(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("poll-skip", send(10, 0), end(1))
def test_without_a_poll_nothing_is_said_of_gaps(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# unseen


@judged("unseen", send(10, 0), send(11, 1), send(12, 2), poll(10, 0), poll(11, 1), end(2),
        replicas(3), [stored(1, offset, 10 + offset) for offset in range(3)])  # fmt: skip
def test_what_readers_have_not_passed_is_not_unseen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("unseen", send(10, 0), send(11, 1), send(13, 3, acks="1"), send(14, 4), poll(10, 0), end(5),
        replicas(5), [stored(1, offset, 10 + offset) for offset in (0, 1, 3)],
        stored(2, 4, 14))  # fmt: skip
def test_what_the_leader_has_and_readers_passed_unread_is_unseen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    assert (verdict.witnesses[0]["offset"], verdict.witnesses[0]["value"]) == (1, 11)


@judged("unseen", send(10, 0), send(11, 1), send(12, 2), poll(12, 2), end(3),
        replicas(3, log_start_offset=2),
        [stored(1, offset, 10 + offset) for offset in range(3)])  # fmt: skip
def test_what_was_deleted_before_anybody_read_it_was_not_there_to_see(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


THREE_STORED = [stored(1, 0, 10), stored(1, 1, 11), stored(1, 2, 12)]
THREE_SENT = [send(10, 0), send(11, 1), send(12, 2)]


@judged("unseen", THREE_SENT, poll(10, 0), poll(None, 1, checksum=1), poll(12, 2), end(3),
        replicas(3), THREE_STORED)  # fmt: skip
def test_what_a_reader_could_not_make_out_may_have_been_seen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 3, 0)
    assert "1 undecided, a reader could make out no value at its offset" in verdict.reason


@judged("unseen", send(10, 0), poll(10, 0), end(1), replicas(1), stored(2, 0, 10))
def test_without_the_leaders_log_nobody_knows_what_was_there_to_see(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# precommitted-read


@judged("precommitted-read", send(10, 0, client="both"), poll(10, 0, client="both"), send(11, 1),
        poll(11, 1, invoked_ns=0))  # fmt: skip
def test_a_client_may_read_its_own_record_once_it_is_committed(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


@judged("precommitted-read", send(10, 0, (0, 9), client="both"), poll(10, 0, client="both"),
        send(11, 1, (0, 9), client="both", outcome="failed"),
        poll(11, 1, client="both"), producer("both", transactional_id="tx"))  # fmt: skip
def test_an_own_record_before_its_commit_is_read_too_early(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    assert [(w["value"], w["send_ended_ns"]) for w in verdict.witnesses] == [(10, 9), (11, 9)]


@judged("precommitted-read", send(10, 0, client="both", outcome="unknown"),
        poll(10, 0, client="both"))  # fmt: skip
def test_an_own_record_whose_end_nobody_knows_is_no_proof(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 1)


@judged("precommitted-read", send(10, 0, (0, 9), client="both"), poll(10, 0, client="both"),
        producer("other", transactional_id="tx"))  # fmt: skip
def test_where_nobody_says_that_it_used_transactions_it_may_be_too_early(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 1)
    assert verdict.reason == "1 undecided, its sender may have used no transaction"


@judged("precommitted-read", send(10, 0, (0, 9), client="both"), poll(10, 0, client="both"),
        producer("both"))  # fmt: skip
def test_a_plain_record_is_committed_before_its_sender_hears_of_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (UNKNOWN, 0, 0)


@judged("precommitted-read", send(10, 0, (0, 9), client="both"),
        poll(10, 0, client="both", invoked_ns=0, completed_ns=10),
        producer("both", transactional_id="tx"))  # fmt: skip
def test_a_poll_that_ends_after_the_commit_may_have_begun_before_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


# stalled-sends

SECOND = 10**9


@judged("stalled-sends", send(10, 0, (0, 29 * SECOND)), send(11, 1, (SECOND, 40 * SECOND)),
        send(12, 2, (0, 31 * SECOND), partition=1, outcome="unknown"),
        send(13, 0, (0, 2 * SECOND), partition=1))  # fmt: skip
def test_a_send_that_waits_long_while_others_are_acknowledged_is_no_stall(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)
    assert verdict.reason == "the longest time without an acknowledgement: 29.0 s"


@judged("stalled-sends", send(10, 0, (0, 1)), send(11, None, (0, 25 * SECOND), outcome="failed"),
        send(12, 1, (20 * SECOND, 50 * SECOND + 1)))  # fmt: skip
def test_sends_that_wait_one_after_another_with_no_acknowledgement_are_stalled(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)
    assert verdict.witnesses == [
        {"topic": "orders", "partition": 0, "since_ns": SECOND // 10, "until_ns": 50 * SECOND}
    ]


TOO_LARGE = 'KafkaError{code=MSG_SIZE_TOO_LARGE,val=10,str="Broker: Message size too large"}'


def _tried(every_ns: int, each_ns: int, error: str | None = None) -> list[Row]:
    """Sends in vain for half a minute and some more, after one that was acknowledged."""
    times = range(SECOND, 33 * SECOND, every_ns)
    told: dict[str, Any] = {"outcome": "failed", "error": error}
    in_vain = [send(11, None, (at, at + each_ns), **told) for at in times]
    return [send(10, 0, (0, 1)), *in_vain]


@judged("stalled-sends", *_tried(SECOND // 2, 1000))
def test_sends_that_are_refused_at_once_again_and_again_are_stalled(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)


@judged("stalled-sends", *_tried(SECOND // 2, 1000, TOO_LARGE))
def test_what_is_refused_for_its_own_sake_is_no_stall(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


@judged("stalled-sends", *_tried(4 * SECOND, 4 * SECOND - SECOND // 20))
def test_who_gives_up_and_tries_again_soon_has_not_ceased_to_wait(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)


@judged("stalled-sends", *_tried(3 * SECOND, SECOND))
def test_who_tries_again_only_now_and_then_does_not_wait(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


@judged("stalled-sends", send(10, 0, (0, 1)), send(11, None, (SECOND, None), outcome="invoked"),
        poll(10, 0, invoked_ns=40 * SECOND, completed_ns=40 * SECOND),
        producer(ended_ns=40 * SECOND))  # fmt: skip
def test_a_send_that_is_never_answered_waits_as_long_as_its_client_lives(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)
    assert verdict.witnesses == [
        {"topic": "orders", "partition": 0, "since_ns": SECOND, "until_ns": 40 * SECOND}
    ]


@judged("stalled-sends", send(10, 0, (0, 1)),
        send(11, None, (SECOND, None), outcome="invoked", op=7),
        send(11, 1, (SECOND, 2 * SECOND), op=7),
        poll(10, 0, invoked_ns=40 * SECOND, completed_ns=40 * SECOND))  # fmt: skip
def test_a_send_that_was_open_for_a_while_waits_until_it_ended(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 1)


@judged("stalled-sends", poll(10, 0), send(10, None, (0, None), outcome="invoked"))
def test_without_a_send_that_was_answered_nothing_is_said_of_stalls(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 1)
    assert "1 undecided, never answered" in verdict.reason


def test_what_a_reader_of_uncommitted_records_made_out_excuses_nobody(both_say: Say) -> None:
    """Readers of committed records made out nothing there: it may be what a failed send wrote."""
    own = [poll(value, value, client="skips") for value in (0, 2)]
    others = [poll(None, 1, client="other"), poll(1, 1, client="loose")]
    loose, failed = consumer("loose", isolation="read_uncommitted"), send(9, None, outcome="failed")

    unknown = both_say("poll-skip", own, others, loose, failed)
    known = both_say("poll-skip", own, poll(1, 1, client="other"), loose, failed)

    assert (unknown.answer, known.answer) == (UNKNOWN, VIOLATED)
