"""What readers were handed and told: aborted reads, stale ends, readers that got stuck."""

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

WHILE = {"invoked_ns": 5, "completed_ns": 6}


def stall(position: int, **more: Any) -> Row:
    return poll(None, position, action="stall", checksum=None, **{**WHILE, **more})


def told_the_end(position: int, **more: Any) -> Row:
    table, row = end(position)
    return table, {**row, **WHILE, **more}


# aborted-read


@judged(
    "aborted-read", send(10, 0), send(11, outcome="failed", error="aborted"), poll(10, 0)
)  # fmt: skip
def test_what_was_aborted_and_never_read_is_fine(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 1, 0)


@judged(
    "aborted-read", send(10, 0), send(11, outcome="invoked", op=7), poll(10, 0), poll(11, 1),
    send(11, outcome="failed", error="the transaction was aborted", op=7),
)  # fmt: skip
def test_an_aborted_record_that_a_reader_was_handed_is_an_aborted_read(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    (witness,) = verdict.witnesses
    assert (witness["value"], witness["offset"]) == (11, 1)
    assert witness["failed_because"] == "the transaction was aborted"


@judged("aborted-read", send(10, outcome="unknown"), send(11, outcome="invoked"), poll(10, 0),
        poll(11, 1), poll(12, 2))  # fmt: skip
def test_what_may_have_been_committed_is_no_aborted_read(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 3, 0)


@judged("aborted-read", send(10, outcome="failed"), poll(None, 0))
def test_without_a_value_nobody_knows_what_was_read(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


def test_who_reads_uncommitted_records_is_asked_where_nothing_can_be_aborted(
    both_say: Say,
) -> None:
    """What a producer without transactions calls failed was refused, and is nowhere."""
    loud = consumer(isolation="read_uncommitted")
    rows = [loud, send(10, 0), send(11, None, outcome="failed"), poll(10, 0)]
    also = send(11, None, outcome="failed", client="tx")

    refused = both_say("aborted-read", producer(), rows)
    handed = both_say("aborted-read", producer(), rows, poll(11, 1))
    aborted = both_say("aborted-read", producer(transactional_id="tx"), rows, poll(11, 1))
    either = both_say("aborted-read", producer(), rows, also, poll(11, 1))

    assert (refused.answer, refused.considered) == (HELD, 1)
    assert (handed.answer, handed.considered, handed.anomalies) == (VIOLATED, 2, 1)
    assert (aborted.answer, aborted.considered) == (UNKNOWN, 0)
    assert (either.answer, either.considered) == (HELD, 1)


# stale-read


@judged("stale-read", send(10, 0), send(11, 1), told_the_end(2), poll(10, 0), poll(11, 1))
def test_a_reader_that_was_told_the_true_end_is_up_to_date(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 1, 0)


@judged(
    "stale-read", send(10, 0), send(11, 1), send(12, 2), told_the_end(1, client="near"),
    poll(11, 1, invoked_ns=7), poll(12, 2, invoked_ns=8), told_the_end(3, client="far"),
)  # fmt: skip
def test_an_end_below_what_was_acknowledged_before_and_read_later_is_stale(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    (witness,) = verdict.witnesses
    assert (witness["client"], witness["offset"]) == ("near", 1)
    assert (witness["first_hidden_at"], witness["hidden_records"]) == (1, 2)


@judged("stale-read", send(10, 0), send(11, 1), told_the_end(1), poll(10, 0, invoked_ns=7))
def test_what_nobody_is_ever_handed_may_be_stale_or_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


@judged("stale-read", send(10, 0), send(11, 1), told_the_end(1), poll(10, 0, invoked_ns=7),
        replicas(1), stored(1, 0, 10))  # fmt: skip
def test_what_the_final_log_lacks_is_not_stale_but_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("stale-read", send(10, 0), send(11, 1), told_the_end(1), poll(10, 0, invoked_ns=7),
        replicas(2), stored(1, 0, 10), stored(1, 1, 11))  # fmt: skip
def test_what_the_final_log_has_was_hidden_from_a_reader_though_none_was_handed_it(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("stale-read", send(10, 0), send(11, 1), told_the_end(1),
        poll(11, 1, invoked_ns=3, completed_ns=4))  # fmt: skip
def test_what_was_seen_before_and_is_hidden_now_is_stale(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("stale-read", send(10, 0, (0, 5)), told_the_end(0), poll(10, 0, invoked_ns=7))
def test_what_was_acknowledged_as_one_began_need_not_be_seen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


_OPEN = (send(10, 0), send(11, 1, (2, 20), client="tx"), send(12, 2, (3, 4)), told_the_end(1),
         poll(11, 1, invoked_ns=21), poll(12, 2, invoked_ns=22))  # fmt: skip


@judged("stale-read", *_OPEN)
def test_below_an_open_transaction_lies_the_end_for_a_reader_of_committed_records(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert "a transaction may have been open" in verdict.reason


@judged("stale-read", *_OPEN, producer("tx"))
def test_a_producer_without_transactions_keeps_no_reader_waiting(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("stale-read", send(10, 0, (4, 6)), told_the_end(0), poll(10, 0, invoked_ns=7))
def test_what_is_acknowledged_while_one_reads_need_not_be_seen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("stale-read", send(10, 0, acks="1"), told_the_end(0), poll(10, 0, invoked_ns=7))
def test_acks_of_one_promise_nobody_a_view(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("stale-read", send(10, -1, (2, 3)), told_the_end(0), poll(10, 0, invoked_ns=7))
def test_below_the_first_offset_there_is_no_record_of_the_same_sender(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


@judged("stale-read", send(10, 2, (1, 2)), poll(10, 0, invoked_ns=1, completed_ns=4),
        told_the_end(0, completed_ns=None))  # fmt: skip
def test_an_end_that_was_told_at_an_unknown_moment_may_be_that_of_a_transaction(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


_TWICE = (producer(), poll(10, 1, client="other", invoked_ns=3, completed_ns=4), told_the_end(3))


@judged("stale-read", send(10, 1), send(10, 3, acks="1"), *_TWICE)
def test_one_copy_that_was_handed_out_does_not_commit_another(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("stale-read", send(10, 1), send(10, None), *_TWICE, poll(10, 3, invoked_ns=7))
def test_a_copy_of_which_nobody_was_told_is_committed_when_it_is_handed_out_itself(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("stale-read", send(10, 1), send(10, None, outcome="unknown"), *_TWICE,
        poll(10, 3, invoked_ns=7))  # fmt: skip
def test_a_copy_that_may_have_come_in_later_hides_from_nobody(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (HELD, 0)


@judged("stale-read", send(10, 0), stall(0), poll(10, 0, invoked_ns=7))
def test_a_reader_that_was_told_no_end_was_told_nothing_wrong(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# stuck-reader


@judged("stuck-reader", send(10, 0), told_the_end(1), send(11, outcome="unknown"))
def test_a_reader_that_got_to_the_end_was_not_stuck(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 1, 0)


@judged(
    "stuck-reader", send(10, outcome="invoked", op=0), send(10, outcome="failed", op=0),
    send(11, 4), stall(3, completed_ns=2 * 10**9),
    told_the_end(6, invoked_ns=8, completed_ns=9),
)  # fmt: skip
def test_a_reader_below_a_record_with_nothing_open_is_stuck(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    (witness,) = verdict.witnesses
    assert (witness["offset"], witness["next_committed_at"]) == (3, 4)
    assert witness["next_committed"] == 11


@pytest.mark.parametrize("outcome", ["ok", "failed"])
def test_of_what_ended_at_no_known_time_nobody_can_tell_whether_its_transaction_was_open(
    both_say: Say, outcome: str
) -> None:
    sent = send(10, 3, (0, None), outcome=outcome)
    handed = poll(10, 3, client="b", invoked_ns=1, completed_ns=2)

    said = both_say("stuck-reader", sent, send(11, 4), stall(3, completed_ns=2 * 10**9), handed)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)


@judged("stuck-reader", send(10, outcome="invoked", completed_ns=None), send(11, 4), stall(3))
def test_a_reader_that_waits_for_an_open_send_may_be_right(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert "a transaction may have been open" in verdict.reason


@judged("stuck-reader", send(10, outcome="unknown"), send(11, 4), stall(3))
def test_a_reader_that_waits_for_what_nobody_knows_may_be_right(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


@judged("stuck-reader", send(10, 3, (0, 6)), send(11, 4), stall(3))
def test_a_reader_that_began_while_a_transaction_was_open_may_be_right(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


@judged("stuck-reader", send(10, 0), send(11, 4, (6, 7)), stall(3))
def test_a_reader_with_nothing_acknowledged_before_it_is_not_called_stuck(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
