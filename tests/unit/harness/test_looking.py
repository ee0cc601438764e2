"""Looking at replicas: what is kept, and when they are said to agree."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from highwater.harness.closing import is_settled, unsettled
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Look, Sampler, look
from highwater.harness.wait import wait_until

WHERE = TopicPartition("orders")


class Brokers:
    """What a cluster says of itself."""

    def __init__(self, *states: ReplicaState, isr: tuple[int, ...] | None = (1, 2)) -> None:
        self._states = {state.broker: state for state in states}
        self._isr = isr

    def replica_state(self, broker: int, where: TopicPartition) -> ReplicaState:
        return self._states[broker]

    def partition_state(self, where: TopicPartition) -> PartitionState:
        if self._isr is None:
            raise ConnectionRefusedError
        return PartitionState(leader=1, leader_epoch=4, isr=self._isr, replicas=(1, 2))


def seen(*offsets: tuple[int | None, int | None], isr: tuple[int, ...] | None = (1, 2)) -> Look:
    states = {
        broker: ReplicaState(broker, end, mark) for broker, (end, mark) in enumerate(offsets, 1)
    }
    partition = None if isr is None else PartitionState(1, 0, isr, (1, 2))
    return Look(partition, states)


def test_replicas_with_one_end_that_is_the_high_watermark_and_a_full_isr_are_settled() -> None:
    assert is_settled(seen((5, 5), (5, 5)))
    assert is_settled(seen((0, 0), (0, 0)))
    assert not unsettled(seen((5, 5), (5, 5)), "after 60 s")


@pytest.mark.parametrize(
    "looked",
    [
        seen((5, 5), (4, 4)),
        seen((5, 5), (5, 4)),
        seen((5, 4), (5, 4)),
        seen((5, 5), (None, None)),
        seen((None, None), (None, None)),
        seen((5, 5), (5, 5), isr=(1,)),
        seen((5, 5), (5, 5), isr=()),
        seen((5, 5), (5, 5), isr=None),
    ],
)
def test_anything_less_is_not_settled(looked: Look) -> None:
    assert not is_settled(looked)


def test_why_replicas_are_not_settled_is_told_broker_by_broker() -> None:
    told = unsettled(seen((5, 5), (4, None), isr=(1,)), "after 60 s")

    assert "after 60 s 1: LEO 5 and HW 5, 2: LEO 4 and HW None; the ISR is {1}; look at" in told
    assert "nobody knows the ISR" in unsettled(seen((5, 5), isr=None), "after 60 s")


def test_a_look_is_kept_replica_by_replica(tmp_path: Path) -> None:
    brokers = Brokers(ReplicaState(1, 5, 4), ReplicaState(2, 4, 4))

    with RunRecord(tmp_path, {}) as record:
        found = look(brokers, record, WHERE, (1, 2))

    rows = open_run(tmp_path).table("replica_states").to_pylist()
    assert [(row["broker"], row["log_end_offset"], row["high_watermark"]) for row in rows] == [
        (1, 5, 4),
        (2, 4, 4),
    ]
    assert {(row["leader"], row["leader_epoch"], row["isr"]) for row in rows} == {(1, 4, "1,2")}
    assert (found.ends(), found.high_watermarks()) == ({1: 5, 2: 4}, {1: 4, 2: 4})
    assert found.described()["isr"] == [1, 2]


def test_a_broker_that_does_not_answer_and_metadata_that_nobody_knows_are_null(
    tmp_path: Path,
) -> None:
    brokers = Brokers(ReplicaState(1, None, None), isr=None)

    with RunRecord(tmp_path, {}) as record:
        found = look(brokers, record, WHERE, (1,))

    (row,) = open_run(tmp_path).table("replica_states").to_pylist()
    assert row["log_end_offset"] is row["leader"] is row["isr"] is None
    assert found.partition is None
    assert "leader" not in found.described()


def test_a_sampler_looks_for_as_long_as_it_is_open(tmp_path: Path) -> None:
    samples = tmp_path / "replica_states"

    with RunRecord(tmp_path, {}) as record:
        with Sampler(Brokers(ReplicaState(1, 5, 5)), record, WHERE, (1,)):
            wait_until(samples.exists, "a sample that the recorder has written", 10)
        record.flush()
        stopped = len(open_run(tmp_path).table("replica_states"))

    assert len(open_run(tmp_path).table("replica_states")) == stopped > 0


class MovingBrokers(Brokers):
    """The first look meets a broker that takes its time, and all later ones a longer log."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.may_answer = threading.Event()

    def replica_state(self, broker: int, where: TopicPartition) -> ReplicaState:
        if self.asked.is_set():
            return ReplicaState(broker, 1, 1)
        self.asked.set()
        self.may_answer.wait(5)
        return ReplicaState(broker, 0, 0)


def test_what_an_older_look_saw_is_not_recorded_after_a_newer_one(tmp_path: Path) -> None:
    brokers = MovingBrokers()
    with RunRecord(tmp_path / "run", {"scenario": "test"}) as record:
        looks = [
            threading.Thread(target=look, args=(brokers, record, WHERE, [1])) for _ in range(2)
        ]
        looks[0].start()
        brokers.asked.wait(5)
        looks[1].start()
        looks[1].join(0.2)  # it would be over by now if it did not wait for the older one
        brokers.may_answer.set()
        for each in looks:
            each.join()

    rows = open_run(tmp_path / "run").table("replica_states").sort_by("at_ns")
    assert rows["log_end_offset"].to_pylist() == [0, 1]
