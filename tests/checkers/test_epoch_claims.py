"""Leader epochs in replicas' logs: the claim accepts, refuses and declines."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    judged,
    stored,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark


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
        "topic": "orders", "partition": 0, "broker": 1, "segment": "0.log", "position": 9,
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
