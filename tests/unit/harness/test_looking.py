"""Looking at replicas: what is kept of it, whoever does not answer."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Sampler
from highwater.harness.wait import wait_until

WHERE = TopicPartition("orders")
PATIENCE_S = 60.0  # of tests that wait for one another


class Brokers:
    """What a cluster says of itself."""

    def __init__(self, *states: ReplicaState, isr: tuple[int, ...] | None = (1, 2)) -> None:
        self._states = {state.broker: state for state in states}
        self._isr = isr
        self.metadata = self

    def probe(self, broker: int) -> Any:
        return SimpleNamespace(states=self.states)

    def states(self, broker: int, wheres: Sequence[TopicPartition]) -> tuple[ReplicaState, ...]:
        return tuple(self.replica_state(broker) for _ in wheres)

    def replica_state(self, broker: int) -> ReplicaState:
        return self._states[broker]

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        if self._isr is None:
            raise ConnectionRefusedError
        state = PartitionState(leader=1, leader_epoch=4, isr=self._isr, replicas=(1, 2))
        return dict.fromkeys(wheres, state)


def watching(brokers: Brokers, record: RunRecord, *replicas: int) -> Sampler:
    sampler = Sampler(cast("Any", brokers), record)
    sampler.watch(WHERE, replicas)
    return sampler


def test_a_look_is_kept_replica_by_replica(tmp_path: Path) -> None:
    brokers = Brokers(ReplicaState(1, 5, 4), ReplicaState(2, 4, 4))

    with RunRecord(tmp_path, {}) as record:
        found = watching(brokers, record, 1, 2).look(WHERE)

    rows = open_run(tmp_path).table("replica_states").to_pylist()
    # Each broker has a thread of its own, and none waits for another.
    assert sorted(
        (row["broker"], row["log_end_offset"], row["high_watermark"]) for row in rows
    ) == [
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
        found = watching(brokers, record, 1).look(WHERE)

    (row,) = open_run(tmp_path).table("replica_states").to_pylist()
    assert row["log_end_offset"] is row["leader"] is row["isr"] is None
    assert found.partition is None
    assert "leader" not in found.described()


class Counting(Brokers):
    """Remembers which partitions each broker was asked for."""

    def __init__(self, *states: ReplicaState) -> None:
        super().__init__(*states)
        self.asked: list[tuple[int, list[int]]] = []

    def states(self, broker: int, wheres: Sequence[TopicPartition]) -> tuple[ReplicaState, ...]:
        self.asked.append((broker, [where.partition for where in wheres]))
        return super().states(broker, wheres)


def test_a_look_at_many_partitions_asks_each_broker_once(tmp_path: Path) -> None:
    brokers = Counting(*(ReplicaState(each, each, each) for each in (1, 2, 3)))
    wheres = [TopicPartition("orders", number) for number in range(3)]

    with RunRecord(tmp_path, {}) as record:
        sampler = Sampler(cast("Any", brokers), record)
        for where, replicas in zip(wheres, [(1, 2), (2, 3), (3,)], strict=True):
            sampler.watch(where, replicas)
        found = sampler.look_at(wheres)

    assert sorted(brokers.asked) == [(1, [0]), (2, [0, 1]), (3, [1, 2])]
    assert [look.ends() for look in found.values()] == [{1: 1, 2: 2}, {2: 2, 3: 3}, {3: 3}]
    assert list(found) == wheres


def test_a_sampler_looks_for_as_long_as_it_is_open(tmp_path: Path) -> None:
    samples = tmp_path / "replica_states"

    with RunRecord(tmp_path, {}) as record:
        with watching(Brokers(ReplicaState(1, 5, 5)), record, 1):
            wait_until(samples.exists, "a sample that the recorder has written", 10)
        record.flush()
        stopped = len(open_run(tmp_path).table("replica_states"))

    assert len(open_run(tmp_path).table("replica_states")) == stopped > 0


class SlowBrokers(Brokers):
    """Broker 2 takes its first question and keeps it until it may answer; its log grows."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self._answers = itertools.count()

    def replica_state(self, broker: int) -> ReplicaState:
        if broker == 2 and not self.asked.is_set():
            self.asked.set()
            self.may_answer.wait(PATIENCE_S)
        answer = next(self._answers) if broker == 2 else 7
        return ReplicaState(broker, answer, answer)


def offsets(run: Path, broker: int) -> list[int]:
    rows = open_run(run).table("replica_states").sort_by("at_ns").to_pylist()
    return [row["log_end_offset"] for row in rows if row["broker"] == broker]


def test_probes_of_one_replica_follow_one_another_whoever_asks(tmp_path: Path) -> None:
    brokers = SlowBrokers()
    with RunRecord(tmp_path / "run", {"scenario": "test"}) as record:
        sampler = watching(brokers, record, 2)
        looks = [threading.Thread(target=partial(sampler.look, WHERE)) for _ in range(2)]
        looks[0].start()
        brokers.asked.wait(PATIENCE_S)
        looks[1].start()
        wait_until(lambda: sampler.waiting(2) == 1, "the second look to wait for the first", 10)
        brokers.may_answer.set()
        for each in looks:
            each.join()

    assert offsets(tmp_path / "run", 2) == [0, 1]


def test_a_broker_that_does_not_answer_holds_up_no_sample_of_another(tmp_path: Path) -> None:
    brokers = SlowBrokers()

    with (
        RunRecord(tmp_path / "run", {"scenario": "test"}) as record,
        watching(brokers, record, 1, 2),
    ):

        def sampled(broker: int, times: int) -> bool:
            record.flush()
            return len(offsets(tmp_path / "run", broker)) >= times

        brokers.asked.wait(PATIENCE_S)
        wait_until(lambda: sampled(1, 3), "three samples of broker 1", PATIENCE_S)
        assert not brokers.may_answer.is_set()
        brokers.may_answer.set()
        # Asked for inside: a sampler that ends waits for no answer.
        wait_until(lambda: sampled(2, 1), "a sample of broker 2, which answers now", PATIENCE_S)


def test_a_row_stands_for_the_moment_of_its_own_probe(tmp_path: Path) -> None:
    brokers = SlowBrokers()
    with RunRecord(tmp_path / "run", {"scenario": "test"}) as record:
        sampler = watching(brokers, record, 1, 2)
        looking = threading.Thread(target=partial(sampler.look, WHERE))
        looking.start()
        brokers.asked.wait(PATIENCE_S)

        def first() -> bool:
            record.flush()
            return bool(offsets(tmp_path / "run", 1))

        wait_until(first, "broker 1 to be on the record though broker 2 has not answered", 10)
        between_ns = record.now_ns()
        brokers.may_answer.set()
        looking.join()

    times = {
        row["broker"]: row["at_ns"]
        for row in open_run(tmp_path / "run").table("replica_states").to_pylist()
    }
    assert times[1] < between_ns < times[2]


def test_metadata_that_change_during_a_probe_are_not_told_of_it(tmp_path: Path) -> None:
    brokers = SlowBrokers()
    with RunRecord(tmp_path / "run", {"scenario": "test"}) as record:
        sampler = watching(brokers, record, 2)
        looking = threading.Thread(target=partial(sampler.look, WHERE))
        looking.start()
        brokers.asked.wait(PATIENCE_S)
        brokers._isr = (1,)
        sampler._read_metadata((WHERE,))
        brokers.may_answer.set()
        looking.join()

    (row,) = open_run(tmp_path / "run").table("replica_states").to_pylist()
    assert (row["log_end_offset"], row["leader"], row["isr"]) == (0, None, None)


class Garbled(Brokers):
    """Its third answer makes no sense."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = 0

    def replica_state(self, broker: int) -> ReplicaState:
        self.answered += 1
        if self.answered == 3:
            raise ValueError("frame ends at byte 8")
        return ReplicaState(broker, 0, 0)


def test_an_answer_that_cannot_be_read_is_told_and_the_sampler_goes_on(tmp_path: Path) -> None:
    brokers = Garbled()

    with (
        RunRecord(tmp_path / "run", {}) as record,
        watching(brokers, record, 1),
    ):
        wait_until(lambda: brokers.answered > 4, "samples after the third", 10)

    told = [event["text"] for event in open_run(tmp_path / "run").events()]
    assert told == ["sampler: looking at broker 1: ValueError: frame ends at byte 8"]


def test_a_look_that_cannot_be_read_is_no_bug_of_the_play(tmp_path: Path) -> None:
    brokers = Garbled()
    with RunRecord(tmp_path / "run", {}) as record:
        sampler = watching(brokers, record, 1)
        sampler.look(WHERE)
        sampler.look(WHERE)

        with pytest.raises(InfrastructureError, match="cannot be read: ValueError: frame ends"):
            sampler.look(WHERE)


def test_a_sampler_that_has_to_end_says_so(tmp_path: Path) -> None:
    record = RunRecord(tmp_path / "run", {})

    def full(*_arguments: object, **_data: object) -> None:
        raise InfrastructureError("cannot write the record: no space left on device")

    record.event = full  # type: ignore[method-assign]
    brokers = Garbled()
    sampler = watching(brokers, record, 1)

    with pytest.raises(InfrastructureError, match="the sampler ended early: cannot write"), sampler:
        wait_until(lambda: not sampler._thread.is_alive(), "the sampler to end", 10)
    record._events.close()  # nobody entered the record, so nobody ends it
