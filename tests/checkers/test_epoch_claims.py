"""Leader epochs in replicas' logs and checkpoints: each claim accepts, refuses and declines."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    entry,
    judged,
    replica,
    replicas,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

SEGMENT = "00000000000000000000.log"  # names are told as Kafka writes them


# leader-epoch-order


@judged("leader-epoch-order",
        stored(1, 0, 10, leader_epoch=None, magic=1), stored(1, 1, 11, position=9),
        stored(1, 2, 12, position=18, leader_epoch=4),
        stored(1, 3, 13, position=27, leader_epoch=-1),
        stored(1, 4, 14, position=36, leader_epoch=1, problem="bad CRC"),
        stored(1, 5, 15, position=45, leader_epoch=4),
        stored(1, 6, 16, position=0, leader_epoch=7, segment="6.log"),
        stored(2, 0, 10), stored(2, 1, 11))  # fmt: skip
def test_epochs_that_stay_or_grow_from_batch_to_batch_are_in_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 5)


@judged("leader-epoch-order",
        stored(1, 0, 10, leader_epoch=3), stored(1, 1, 11, position=9, leader_epoch=2),
        stored(1, 2, 12, position=18, leader_epoch=2),
        stored(1, 3, 13, position=27, leader_epoch=None, magic=1),
        stored(1, 4, 14, segment="4.log", leader_epoch=-1),
        stored(1, 5, 15, segment="5.log", leader_epoch=1),
        stored(2, 5, 15, segment="5.log", leader_epoch=1))  # fmt: skip
def test_each_fall_of_the_epoch_is_found_in_whatever_segment(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 5, 2)
    assert verdict.witnesses[0] == {
        "topic": "orders", "partition": 0, "broker": 1, "segment": SEGMENT, "position": 9,
        "offset": 1, "leader_epoch": 2, "epoch_before": 3,
    }  # fmt: skip
    assert [(w["offset"], w["leader_epoch"], w["epoch_before"]) for w in verdict.witnesses] == [
        (1, 2, 3),
        (5, 1, 2),
    ]


@judged("leader-epoch-order", stored(1, 0, 10, leader_epoch=None, magic=1),
        stored(1, 1, 11, leader_epoch=None, magic=0, position=9))  # fmt: skip
def test_in_an_older_format_there_is_no_epoch_to_be_in_order(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 0)
    assert verdict.reason.endswith(
        "the record has no batches with a leader epoch in the replicas' logs"
    )


# epoch-checkpoint


@judged("epoch-checkpoint", replica(1, 6, log_start_offset=1), replica(2, 2),
        stored(1, 0, 10),  # below the log start
        stored(1, 1, 11), stored(1, 2, 12, position=9),
        stored(1, 3, 13, position=18, leader_epoch=2),
        stored(1, 4, 14, position=27, leader_epoch=-1),
        stored(1, 5, 15, segment="5.log", leader_epoch=3),
        stored(2, 0, 10), stored(2, 1, 11),
        entry(1, 6, 9), entry(1, 5, 3), entry(1, 3, 2), entry(1, 3, 1), entry(1, 1, 0),
        entry(2, 0, 0))  # fmt: skip
def test_the_last_entry_at_a_record_or_below_it_has_its_epoch(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (HELD, 6)


@judged("epoch-checkpoint", replicas(6),
        [stored(1, offset, offset, leader_epoch=1) for offset in range(4)],
        stored(1, 4, 14, position=9, leader_epoch=2), stored(1, 5, 15, position=18, leader_epoch=2),
        [stored(2, offset, offset, leader_epoch=1) for offset in range(3)],
        entry(1, 0, 1), entry(1, 2, 2), entry(1, 5, 3), entry(2, 2, 1))  # fmt: skip
def test_each_run_of_records_with_another_epoch_than_the_checkpoints_is_found(
    verdict: Verdict,
) -> None:
    assert (verdict.answer, verdict.considered, verdict.anomalies) == (VIOLATED, 9, 3)
    assert verdict.witnesses[0] == {
        "topic": "orders", "partition": 0, "broker": 1, "offset": 2,
        "leader_epoch": 1, "checkpoint_epoch": 2,
    }  # fmt: skip
    told = ("broker", "offset", "leader_epoch", "checkpoint_epoch")
    assert [tuple(w[name] for name in told) for w in verdict.witnesses] == [
        (1, 2, 1, 2),
        (1, 5, 2, 3),
        (2, 0, 1, None),
    ]


@judged("epoch-checkpoint", replicas(1), stored(1, 0, 10))
def test_without_any_checkpoint_nothing_is_known_of_what_they_say(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.reason) == (UNKNOWN, "the record has no epoch_checkpoints")


@judged("epoch-checkpoint", replica(1, 3),
        stored(1, 0, 10, leader_epoch=None, magic=1), stored(1, 1, 11, position=9),
        stored(1, 2, 12, position=18), entry(1, 2, 0),
        stored(2, 0, 10), stored(2, 1, 11), entry(2, 1, 0),
        stored(3, 0, 10))  # fmt: skip
def test_what_the_checkpoint_need_not_have_or_is_not_recorded_is_unknown(verdict: Verdict) -> None:
    assert (verdict.answer, verdict.considered) == (UNKNOWN, 5)
    assert verdict.reason == (
        "1 undecided, in a log whose checkpoint is not in the record; "
        "2 undecided, below all entries of the checkpoint"
    )
