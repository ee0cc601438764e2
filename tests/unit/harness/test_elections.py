"""Who may lead: an election is clean when the new leader was in the ISR, or in the ELR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.elections import NOBODY
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.scene import Scene

WHERE = TopicPartition("orders")


def state(leader: int, *isr: int, elr: tuple[int, ...] = ()) -> PartitionState:
    return PartitionState(leader, leader_epoch=1, isr=isr, replicas=(1, 2, 3), elr=elr)


class Brokers:
    """A cluster of which only the metadata counts: what it says now, one state after the other."""

    brokers = (1, 2, 3)

    def __init__(self, *states: PartitionState) -> None:
        self._states = list(states)
        self.metadata = self

    def partition(self, where: TopicPartition) -> PartitionState:
        return self._states[0] if len(self._states) == 1 else self._states.pop(0)

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        return dict.fromkeys(wheres, self._states[0])

    def probe(self, broker: int) -> Any:
        return SimpleNamespace(states=lambda each, wheres: [ReplicaState(each, 5, 5)] * len(wheres))


def observing(record: RunRecord, *states: PartitionState) -> Partition:
    return Partition(Scene(cast("Any", Brokers(*states)), record), WHERE, (1, 2, 3))


@pytest.mark.parametrize(
    "before", [state(1, 1, 2), state(1, 1, elr=(2,))], ids=["from the ISR", "from the ELR"]
)
def test_a_leader_that_may_lead_is_elected_cleanly(tmp_path: Path, before: PartitionState) -> None:
    with RunRecord(tmp_path, {}) as record:
        partition = observing(record, before, state(2, 2, elr=(1,)))
        partition.state()
        elected = partition.await_deposed(1)

    assert elected.leader == 2
    told = [event for event in open_run(tmp_path).events() if event["kind"] == "metadata"]
    assert [(event["isr"], event["elr"]) for event in told] == [([2], [1])]
    assert told[0]["text"] == "leader 2, leader epoch 1, ISR {2}, ELR {1}"


def test_a_leader_from_elsewhere_ends_the_play(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        partition = observing(record, state(1, 1, elr=(2,)), state(3, 3))
        partition.state()

        with pytest.raises(PreconditionError, match=r"was in the ISR \{1\} or the ELR \{2\}"):
            partition.await_deposed(1)


def test_a_play_may_expect_an_unclean_election(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        partition = observing(record, state(1, 1), state(3, 3))
        partition.state()

        assert partition.await_deposed(1, 2, clean=False).leader == 3


def test_a_partition_may_be_without_a_leader_for_a_while(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        partition = observing(record, state(1, 1), *[state(NOBODY, 1)] * 3, state(1, 1))
        partition.state()

        assert partition.await_deposed(1).leader == NOBODY
        assert partition.await_elected().leader == 1


@pytest.mark.parametrize("timeout_s", [float("nan"), float("inf"), 0, "5"])
def test_what_is_no_time_is_not_waited_for(tmp_path: Path, timeout_s: Any) -> None:
    with RunRecord(tmp_path, {}) as record:
        partition = observing(record, state(1, 1, 2))
        asked = (
            lambda: partition.await_state("it never is", lambda: False, timeout_s),
            lambda: partition.await_isr(3, timeout_s=timeout_s),
            lambda: partition.await_leader(3, timeout_s=timeout_s),
            lambda: partition.await_offsets("more", {1: 9}, timeout_s=timeout_s),
        )
        for ask in asked:
            with pytest.raises(UsageError, match="expected a timeout_s above 0, saw"):
                ask()
