"""What a replica in sync has lost below a high watermark seen before, and what is no evidence."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, judged, look, replica

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


@judged("committed-truncation",
        look(1, 1, 11, 10), look(2, 2, 10, 9), look(3, 1, 11, 11),
        look(4, 2, 10, 9, isr="1,3"), look(5, 2, 3, 3, isr="1,3"),  # behind, but out of sync
        look(6, 2, 3, 3, leader=None, isr=None), look(7, 2, 9, 9), look(8, 2, 11, 11))  # fmt: skip
def test_a_follower_out_of_sync_or_short_at_one_look_only_is_no_truncation(
    verdict: Verdict,
) -> None:
    assert verdict.answer is HELD


@judged("committed-truncation",
        look(1, 1, 11, 11), look(2, 2, 11, 10), look(3, 1, None, None),
        look(4, 2, 1, 1, leader=2, isr="2"), look(5, 2, 2, 2, leader=2, isr="2"),
        look(6, 3, 11, 10), look(7, 3, 8, 8), look(8, 3, 8, 8))  # fmt: skip
def test_a_leader_or_follower_that_falls_below_the_watermark_is_found_once(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    assert verdict.witnesses == [
        {
            "topic": "orders", "partition": 0, "broker": broker, "log_end_offset": log_end,
            "role": role, "at_ns": at_ns, "high_watermark": 11, "seen_by": 1, "seen_at_ns": 1,
        }
        for broker, log_end, role, at_ns in ((2, 1, "leader", 4), (3, 8, "in the ISR", 8))
    ]  # fmt: skip


@judged("committed-truncation",
        look(1, 1, 11, 11), look(2, 2, 11, 11), look(2, 1, 11, 11), look(2, 3, 11, 11),
        look(3, 2, 5, 5), look(3, 2, 11, 11), look(3, 3, 11, 11), look(3, 3, 5, 5),
        look(4, 2, 5, 5), look(4, 3, 5, 5), look(5, 2, 11, 11), look(5, 3, 11, 11),
        look(6, 1, 5, 5), look(6, 1, 11, 11), look(7, 1, 11, 11), look(7, 1, 5, 5))  # fmt: skip
def test_of_one_moment_counts_what_all_looks_of_it_say(verdict: Verdict) -> None:
    assert verdict.answer is HELD


@judged("committed-truncation",
        look(1, 1, 11, 11), look(2, 2, 11, 11), look(2, 1, 11, 11),
        look(3, 2, 6, 5), look(3, 2, 5, 5), look(4, 2, 5, 5), look(4, 2, 5, 5))  # fmt: skip
def test_moments_with_several_looks_follow_one_another(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)


@judged("committed-truncation", look(1, 1, 11, 11), replica(1, 11), replica(2, 10), replica(3, 11),
        look(1, 1, 11, 11, partition=1), replica(1, 9, partition=1, settled=False))  # fmt: skip
def test_a_replica_that_ends_the_run_below_the_watermark_is_truncated(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)
    assert (verdict.witnesses[0]["broker"], verdict.witnesses[0]["at_ns"]) == (2, None)


@judged("committed-truncation", look(1, 1, None, None), look(2, 2, 5, 5), look(3, 2, 1, 1))
def test_without_a_leaders_watermark_nothing_is_said_of_truncation(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)
