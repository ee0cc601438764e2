"""What clients saw: each claim accepts, refuses and declines to decide literal histories."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    EVERYWHERE,
    HELD,
    UNKNOWN,
    VIOLATED,
    consumer,
    end,
    judged,
    look,
    poll,
    replica,
    replicas,
    send,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


# lost-write


@judged("lost-write", send(10, 0), send(11, 1), poll(10, 0), poll(11, 1), end(2))
def test_acknowledged_writes_that_were_read_are_not_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 2, 0)


@judged("lost-write", send(10, 0, (3, 4)), send(11, 1), poll(11, 1), consumer())
def test_an_acknowledged_write_that_readers_passed_over_is_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    assert verdict.witnesses == [
        {
            "topic": "orders", "partition": 0, "offset": 0, "value": 10, "acks": "all",
            "client": "producer", "invoked_ns": 3, "completed_ns": 4,
            "last_read_by": None, "last_read_ns": None, "still_on": None, "replaced_by": None,
            "where": None, "first_seen_ns": None,
            "last_seen_ns": None, "last_seen_on": None, "gone_ns": None, "removed_by": None,
        }
    ]  # fmt: skip


@judged(
    "lost-write", send(10, 0), send(11, 1), send(12, 2), poll(10, 0), poll(22, 1), end(2),
    replicas(2), [stored(broker, 0, 10) for broker in EVERYWHERE],
    stored(1, 1, 22), stored(2, 1, 11), stored(3, 1, 11),
)  # fmt: skip
def test_a_lost_write_tells_who_still_has_it_and_what_took_its_place(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    shown = [(w["value"], w["still_on"], w["replaced_by"], w["where"]) for w in verdict.witnesses]
    assert shown == [
        (11, "2,3", 22, "only on 2, 3: a suffix that leader 1 has replaced"),
        (12, "none", None, "on no replica"),
    ]


@judged("lost-write", send(10, 1), send(11, 0), send(12, 2), poll(12, 2), end(3),
        replica(1, 3, log_start_offset=0), replica(2, 3, log_start_offset=1, high_watermark=2),
        replica(3, 3), stored(1, 2, 12), stored(2, 0, 11), stored(2, 2, 11),
        look(0, 3, 9, 9), look(1, 3, 2, 2), look(2, 3, 2, 2), look(3, 3, 1, 1), look(4, 3, 3, 3),
        look(2, 2, None, None))  # fmt: skip
def test_a_lost_write_tells_where_it_lies_and_when_it_was_last_seen(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    below, gone = verdict.witnesses
    assert (below["offset"], below["where"]) == (0, "only on 2 below its log start")
    assert (gone["offset"], gone["where"]) == (1, "on no replica")
    seen = [gone[f"{name}_ns"] for name in ("first_seen", "last_seen", "gone")]
    assert (seen, gone["last_seen_on"]) == ([0, 2, 3], 3)


@judged(
    "lost-write", [send(value, value) for value in range(11)], poll(0, 0), end(1), replicas(11),
    [stored(broker, value, value) for broker in EVERYWHERE for value in range(11)],
)  # fmt: skip
def test_what_a_young_leaders_high_watermark_hides_is_not_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 11, 0)


@judged("lost-write", send(10, 0), send(11, 1), poll(10, 0), end(2), replicas(2),
        [stored(1, offset, 10 + offset) for offset in (0, 1)])  # fmt: skip
def test_a_record_in_the_leaders_log_that_nobody_read_is_not_lost(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("lost-write", send(10, 0), end(0), replica(1, 0), replica(2, 0, settled=False))
def test_a_loss_before_the_replicas_settled_is_unknown(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert "had not settled" in verdict.reason


@judged("lost-write", send(10, 0), end(0), replicas(0))
def test_a_write_is_lost_where_all_agree_that_the_log_is_empty(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("lost-write", send(10, 0), send(11, 1), poll(11, 1), end(2), replicas(2))
def test_nothing_is_lost_where_the_leaders_log_is_not_in_the_record(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert "the leader's log is not in the record" in verdict.reason


@judged("lost-write", send(10, 0), send(11, 1), poll(11, 1), end(2),
        replicas(2, log_start_offset=1), stored(1, 1, 11))  # fmt: skip
def test_what_lay_below_the_start_of_the_leaders_log_is_unknown(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)


@judged("lost-write", send(10, 0), send(11, 1), poll(10, 0), end(1))
def test_what_was_acknowledged_beyond_the_furthest_read_is_unseen_not_lost(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert verdict.reason == (
        "1 undecided, orders-0: unseen, no reader is known to have passed its offset"
    )


@judged("lost-write", send(10, 0), send(11, 1, acks="1"), send(12, 2, acks="0"), poll(10, 0),
        poll(13, 3))  # fmt: skip
def test_losses_that_the_acks_allow_are_told_and_not_counted(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 1, 0)
    assert verdict.reason == (
        "1 lost, sent with acks=0 (allowed); 1 lost, sent with acks=1 (allowed)"
    )


@judged("lost-write", send(10, outcome="unknown"), send(11, outcome="failed"), poll(12, 5))
def test_without_acknowledged_writes_nothing_is_said_of_losses(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)
    assert verdict.reason == (
        "nothing to judge: the record has no sends acknowledged with acks=all"
    )


# duplicate


@judged("duplicate", poll(10, 0), poll(10, 0, client="other"), poll(11, 1), stored(1, 0, 10))
def test_two_readers_of_one_offset_are_no_duplicate(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)
    assert verdict.reason == "1 handed out 2 times (allowed)"


@judged("duplicate", [poll(10, 0, client=f"reader-{one}") for one in range(5)],
        [poll(value, value - 10, client=client) for value in (11, 12) for client in "abc"],
        [poll(13, 3, client=client) for client in "abcd"], poll(14, 4))  # fmt: skip
def test_how_often_records_were_handed_out_is_told(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 5)
    assert verdict.reason == "2 handed out 3 times (allowed); 2 handed out more often (allowed)"


@judged("duplicate", send(11, 1), poll(10, 0), poll(10, 2), replicas(4), stored(1, 1, 11),
        stored(1, 3, 11), stored(2, 8, 10))  # fmt: skip
def test_a_value_at_two_offsets_is_a_duplicate(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    shown = [(w["value"], w["offset"], w["also_at"]) for w in verdict.witnesses]
    assert shown == [(10, 0, 2), (11, 1, 3)]


@judged("duplicate", send(10, 1), send(11, 2), send(12, None), send(13, -1), poll(10, 3),
        poll(11, 2), poll(12, 5), poll(13, 6))  # fmt: skip
def test_what_is_read_where_it_was_not_acknowledged_stands_twice(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 4, 1)
    (witness,) = verdict.witnesses
    assert (witness["value"], witness["offset"], witness["also_at"]) == (10, 1, 3)


@judged("duplicate", send(10, 5, acks="1"), send(11, 6, outcome="unknown"), send(12, 7),
        send(12, 8), poll(10, 0), poll(11, 1))  # fmt: skip
def test_only_a_promise_says_where_a_record_that_was_read_stands(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 2, 0)


@judged("duplicate", send(10, 0))
def test_without_a_read_nothing_is_said_of_duplicates(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# phantom-read


@judged("phantom-read", send(10, outcome="invoked"), send(11, outcome="failed"), poll(10, 0),
        poll(11, 1))  # fmt: skip
def test_a_value_whose_send_was_only_invoked_or_failed_is_no_phantom(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("phantom-read", send(10, 0), poll(10, 0), poll(99, 1))
def test_a_value_that_nobody_sent_is_a_phantom(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)
    assert (verdict.witnesses[0]["value"], verdict.witnesses[0]["offset"]) == (99, 1)


@judged("phantom-read", send(10, 0))
def test_without_a_read_nothing_is_said_of_phantoms(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# inconsistent-offsets


@judged("inconsistent-offsets", send(10, 0), poll(10, 0), send(11, 1, acks="1"), poll(12, 1),
        send(13, 1, outcome="unknown"))  # fmt: skip
def test_an_offset_given_again_after_an_allowed_loss_is_consistent(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("inconsistent-offsets", send(10, 0), poll(20, 0), poll(30, 1), poll(31, 1, client="b"))
def test_two_values_at_one_offset_are_inconsistent(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    shown = [(w["offset"], w["value"], w["other_value"]) for w in verdict.witnesses]
    assert shown == [(0, 10, 20), (1, 30, 31)]


@judged("inconsistent-offsets", send(10, 0, acks="1"), send(11, -1))
def test_without_a_known_offset_nothing_is_said_of_consistency(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# nonmonotonic-send


@judged("nonmonotonic-send", send(10, 5, (0, 9)), send(11, 3, (8, 10)), send(12, 6, (11, 12)),
        send(13, 1, (20, 21), client="other"), send(14, 0, (30, 31), partition=1))  # fmt: skip
def test_sends_in_flight_together_or_of_others_may_land_in_any_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 5)


@judged("nonmonotonic-send", send(10, 5, (0, 1)), send(11, 6, (2, 3)), send(12, 4, (4, 5)))
def test_a_send_below_an_earlier_one_of_its_client_is_nonmonotonic(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)
    witness = verdict.witnesses[0]
    assert (witness["value"], witness["after_offset"], witness["after_value"]) == (12, 5, 10)


@judged("nonmonotonic-send", send(10, outcome="unknown"), send(11, 3, acks="1"))
def test_without_promised_offsets_nothing_is_said_of_their_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# corrupt-value


@judged("corrupt-value", send(10, 0), poll(10, 0), stored(1, 0, 10), poll(None, 0, topic="theirs"),
        stored(1, 1, None, is_control=True, checksum=None))  # fmt: skip
def test_what_comes_back_as_it_was_sent_is_not_corrupt(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("corrupt-value", send(10, 0), poll(10, 0, checksum=71), poll(None, 1),
        stored(2, 0, 10, checksum=72), stored(3, 1, None, problem="CRC mismatch"))  # fmt: skip
def test_every_damaged_copy_is_found_where_it_lies(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 4)
    assert [(w["offset"], w["found_by"], w["problem"]) for w in verdict.witnesses] == [
        (0, "reader", "checksum differs"),
        (0, "broker 2", "checksum differs"),
        (1, "broker 3", "CRC mismatch"),
        (1, "reader", "payload is unreadable"),
    ]


@judged("corrupt-value", send(10, 0))
def test_without_a_copy_nothing_is_said_of_corruption(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)
