"""Replicas of a topic that is going to be deleted: nobody looks at them any more."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.harness.test_looking import WHERE, Brokers, watching

from highwater.harness.errors import UsageError
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Sampler
from highwater.harness.wait import wait_until


class Deleting(Brokers):
    """The topic is deleted while somebody asks who leads it."""

    sampler: Sampler

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        self.sampler.forget(wheres)
        return super().partitions(wheres)


def test_a_glance_at_what_is_forgotten_meanwhile_ends_no_sampler(tmp_path: Path) -> None:
    brokers = Deleting(ReplicaState(1, 0, 0))
    with RunRecord(tmp_path / "run", {}) as record:
        brokers.sampler = watching(brokers, record, 1)

        brokers.sampler._glance()
        brokers.sampler._asked.close()

    assert len(open_run(tmp_path / "run").table("replica_states")) == 0


class Slow(Brokers):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer, self.is_asked = threading.Event(), threading.Event()

    def replica_state(self, broker: int) -> ReplicaState:
        self.is_asked.set()
        self.may_answer.wait(30)
        return ReplicaState(broker, 7, 7)


def test_what_is_answered_when_it_is_forgotten_may_be_of_another_topic(tmp_path: Path) -> None:
    brokers, again = Slow(), TopicPartition("orders", 0, 2)
    with RunRecord(tmp_path / "run", {}) as record, watching(brokers, record, 1) as sampler:
        wait_until(brokers.is_asked.is_set, "the first look", 30)
        sampler.forget([WHERE])
        sampler.watch(again, [1])
        brokers.may_answer.set()

        assert sampler.look(again).ends() == {1: 7}
        with pytest.raises(UsageError, match="orders-0 has been deleted"):
            sampler.look(WHERE)

    rows = open_run(tmp_path / "run").table("replica_states").to_pylist()
    assert {row["topic"] for row in rows} == {"orders#2"}
