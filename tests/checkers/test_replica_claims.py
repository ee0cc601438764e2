"""What replicas hold and know: each claim accepts, refuses and declines to decide."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    EVERYWHERE,
    HELD,
    UNKNOWN,
    VIOLATED,
    alive,
    answered,
    asked,
    judged,
    look,
    replica,
    replicas,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


# replica-divergence


@judged("replica-divergence", replicas(2), [stored(b, 0, 10) for b in EVERYWHERE],
        [stored(b, 1, 11) for b in EVERYWHERE], stored(2, 2, 66))  # fmt: skip
def test_replicas_may_differ_above_their_high_watermarks(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("replica-divergence", replica(1, 3), replica(2, 3, settled=False),
        replica(3, 3, in_isr=False), stored(3, 0, 66),
        stored(1, 0, 7), stored(2, 0, 23, leader_epoch=1), stored(1, 1, 8),
        stored(1, 2, 9), stored(2, 2, 9, leader_epoch=1))  # fmt: skip
def test_another_record_another_epoch_or_none_at_an_offset_is_divergence(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 3, 3)
    assert [(w["offset"], w["held"]) for w in verdict.witnesses] == [
        (0, "1: value 7 (epoch 0); 2: value 23 (epoch 1)"),
        (1, "1: value 8 (epoch 0); 2: nothing"),
        (2, "1: value 9 (epoch 0); 2: value 9 (epoch 1)"),
    ]


@judged("replica-divergence", replicas(2), [stored(broker, 0, 7) for broker in EVERYWHERE],
        [stored(broker, 1, 7 + broker) for broker in EVERYWHERE],
        look(1, 1, 1, 1), look(1, 3, 2, 1), look(2, 1, 2, 1), look(2, 3, 2, 2), look(4, 1, 2, 2),
        look(1, 2, 2, 1), look(3, 2, 0, 0), look(5, 2, 2, 2))  # fmt: skip
def test_divergence_tells_whose_copy_was_written_last(verdict: Verdict) -> None:
    (witness,) = verdict.witnesses
    assert (witness["last_written_on"], witness["last_written_ns"]) == (2, 5)


@judged("replica-divergence", replicas(1), stored(1, 0, 10))
def test_one_log_alone_says_nothing_of_divergence(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# high-watermark-regression


@judged("high-watermark-regression", look(1, 1, 9, 8), look(2, 1, 9, 9), look(3, 1, 9, 9),
        look(4, 1, 9, 7, leader_epoch=1), look(5, 1, 9, 9, leader_epoch=1),
        look(6, 1, 9, 9, leader_epoch=1), look(3, 2, 9, 5), look(4, 2, 9, 4))  # fmt: skip
def test_a_high_watermark_may_fall_with_a_new_epoch_and_on_followers(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("high-watermark-regression", look(1, 1, 9, 9), look(2, 1, 9, 8), look(3, 1, 9, 9),
        look(1, 1, 9, 9, partition=1), look(2, 1, 9, 1, partition=1))  # fmt: skip
def test_a_high_watermark_that_falls_while_its_broker_leads_is_found(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)
    (witness,) = verdict.witnesses
    assert (witness["at_ns"], witness["high_watermark"], witness["seen_before"]) == (2, 8, 9)


@judged("high-watermark-regression", look(1, 1, 9, 9), look(2, 1, 9, 8), look(3, 1, 9, None))
def test_a_fall_at_the_last_look_may_be_that_of_a_broker_that_leads_no_more(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# lagging-in-sync

LATE = 120 * 10**9


@judged("lagging-in-sync", look(1, 1, 9, 9), look(LATE // 2, 1, 12, 9),
        look(LATE + 2, 2, 9, 9), look(LATE + 2, 3, 3, 3, isr="1,2"),
        look(2 * LATE, 3, 3, 3, leader_epoch=1), look(2 * LATE, 2, 12, 3))  # fmt: skip
def test_a_replica_may_lag_for_two_minutes_and_longer_out_of_sync(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 2)


@judged("lagging-in-sync", look(1, 1, 9, 9), look(LATE + 2, 2, 8, 8),
        look(LATE + 2, 2, 8, 8, partition=1), look(LATE + 2, 3, 9, 9))  # fmt: skip
def test_a_replica_in_sync_that_lags_for_longer_is_found(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    (witness,) = verdict.witnesses
    assert (witness["broker"], witness["log_end_offset"], witness["leader_had"]) == (2, 8, 9)


@judged("lagging-in-sync", look(1, 1, 9, 9), look(LATE, 2, 8, 8), look(1, 2, 8, 8))
def test_nothing_is_said_of_lag_before_two_minutes_are_over(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# leader-out-of-sync


@judged("leader-out-of-sync", look(1, 1, 9, 9), look(2, 3, None, None, leader=11, isr="11"),
        look(3, 2, 9, 9, leader=None), look(4, 2, 9, 9, isr=None), look(4, 3, 9, 9, leader=-1),
        look(5, 3, 9, 9, isr="1"))  # fmt: skip
def test_a_leader_may_be_alone_in_sync_and_nobody_may_lead(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 3)


@judged("leader-out-of-sync", look(1, 2, 9, 9, leader=1, isr="11,2"), look(2, 2, 9, 9))
def test_a_leader_outside_of_its_isr_is_found(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 2, 1)
    (witness,) = verdict.witnesses
    assert (witness["at_ns"], witness["leader"], witness["isr"]) == (1, 1, "11,2")


@judged("leader-out-of-sync", look(1, 1, 9, 9, leader=None), look(2, 1, 9, 9, isr=None))
def test_without_a_leader_or_an_isr_nothing_is_said_of_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# leader-high-watermark


@judged(
    "leader-high-watermark",
    asked(1, 2, 0), asked(2, 3, 1), look(3, 1, 1, 0, quiet=True),
    asked(4, 2, 1), look(5, 1, 1, 1, quiet=True), look(6, 1, 9, 1),
)  # fmt: skip
def test_a_leader_knows_no_more_than_the_fetches_have_told_it(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 2, 0)


@judged("leader-high-watermark", asked(1, 2, 0), asked(2, 3, 1), look(3, 1, 1, 1, quiet=True))
def test_a_high_watermark_above_a_members_last_fetch_is_too_high(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)
    assert verdict.witnesses[0]["smallest_known"] == 0


@judged("leader-high-watermark", asked(1, 2, 1), look(3, 1, 1, 1, quiet=True), look(4, 1, 1, 0))
def test_without_a_fetch_of_every_member_nothing_is_said_of_a_leader(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# follower-high-watermark


@judged(
    "follower-high-watermark",
    answered(1, 2, 0), look(2, 2, 1, 0, quiet=True),
    answered(3, 2, 7), look(4, 2, 5, 5, quiet=True), look(5, 2, 5, 0),
)  # fmt: skip
def test_a_follower_has_what_it_was_told_as_far_as_its_log_goes(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 2, 0)


@judged("follower-high-watermark", answered(1, 2, 0), look(2, 2, 1, 1, quiet=True))
def test_a_follower_that_knows_more_than_it_was_told_is_found(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 1, 1)
    assert verdict.witnesses[0]["told"] == 0


@judged(
    "follower-high-watermark",
    answered(1, 2, 0), look(2, 2, 3, 3, quiet=True, leader=-1, leader_epoch=3),
    answered(3, 2, 2), look(4, 2, 3, 2, quiet=True, leader_epoch=3),
)  # fmt: skip
def test_what_was_told_before_an_epoch_was_seen_may_be_of_one_before(verdict: Verdict) -> None:
    """The follower may have led in the epochs between, of which nobody saw anything."""
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (HELD, 1, 0)


@judged("follower-high-watermark", answered(3, 2, 0), look(2, 2, 1, 1, quiet=True))
def test_what_was_told_later_says_nothing_of_a_look_before(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)


# offsets-out-of-order


@judged("offsets-out-of-order",
        stored(1, 0, 10), stored(1, 1, 11), stored(1, 2, 12, position=90),
        stored(1, 7, 13, segment="7.log"), stored(2, 0, 10, problem="bad CRC", position=50),
        stored(2, 0, 10))  # fmt: skip
def test_offsets_that_grow_from_batch_to_batch_are_in_order_whatever_is_missing(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 4)


@judged("offsets-out-of-order",
        [stored(1, offset, offset, position=60 * offset) for offset in range(4)],
        [stored(1, offset, 20 + offset, position=240) for offset in range(2, 6)],
        stored(2, 0, 0), stored(2, 0, 1, position=60))  # fmt: skip
def test_a_batch_that_begins_below_what_the_log_already_has_is_out_of_order(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 7, 2)
    assert [(w["broker"], w["offset"], w["offset_before"]) for w in verdict.witnesses] == [
        (1, 2, 3),
        (2, 0, 0),
    ]


@judged("offsets-out-of-order", replicas(1))
def test_without_a_log_nothing_is_known_of_its_order(verdict: Verdict) -> None:
    assert verdict.answer is UNKNOWN


# log-not-contiguous


@judged("log-not-contiguous",
        stored(1, 4, 10), stored(1, 5, None, is_control=True), stored(1, 6, 11, position=90),
        stored(1, 7, 12, segment="7.log"), stored(1, 5, 10, segment="8.log"),
        stored(2, 9, 10))  # fmt: skip
def test_a_log_may_begin_anywhere_and_go_back_but_leaves_nothing_out(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 6)


@judged("log-not-contiguous", stored(1, 0, 10), stored(1, 2, 11), stored(1, 3, 12),
        stored(1, 6, 13, segment="6.log"),
        stored(1, 7, 14, segment="6.log", position=90))  # fmt: skip
def test_a_gap_within_a_batch_or_between_segments_is_found(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 5, 2)
    assert [(w["offset"], w["offset_before"]) for w in verdict.witnesses] == [(2, 0), (6, 3)]


@judged("log-not-contiguous", stored(1, 0, 10), stored(1, 1, 11, problem="bad CRC", position=9),
        stored(1, 2, 12, position=18))  # fmt: skip
def test_a_gap_in_a_damaged_log_is_unknown(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert verdict.reason == "1 undecided, in a log with damaged batches"


# stuck-broker


@judged("stuck-broker",
        [alive(second, 1, answers=False, registered=False) for second in range(20)],
        [alive(second, 2, answers=second % 4 == 0) for second in range(20)],
        [alive(second, 3, answers=False, running=False) for second in range(20)])  # fmt: skip
def test_a_broker_that_starts_answers_at_times_or_has_ended_is_not_stuck(verdict: Verdict) -> None:
    assert verdict.answer is HELD


@judged("stuck-broker", alive(0, 1), [alive(second, 1, answers=False) for second in range(1, 8)],
        alive(9, 1), [alive(second, 2) for second in range(9)])  # fmt: skip
def test_a_broker_that_lives_is_registered_and_silent_is_stuck(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 4, 1)
    assert (verdict.witnesses[0]["broker"], verdict.witnesses[0]["looks"]) == (1, 7)


@judged("stuck-broker", replicas(1))
def test_of_a_broker_that_nobody_watched_nothing_is_known(verdict: Verdict) -> None:
    assert verdict.answer is UNKNOWN
