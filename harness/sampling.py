"""Looks at every replica of a partition, on request and all the time, and records what it saw."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from highwater.harness.lifetime import Lifetime
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.writer import RunRecord

INTERVAL_S = 0.1


class Observable(Protocol):
    """The part of a cluster that can be looked at."""

    def replica_state(self, broker: int, where: TopicPartition) -> ReplicaState: ...
    def partition_state(self, where: TopicPartition) -> PartitionState: ...


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a whole partition; the probes are taken in turn, not at one instant."""

    partition: PartitionState | None  # None while nobody knows
    replicas: dict[int, ReplicaState]

    def ends(self) -> dict[int, int | None]:
        return {broker: state.log_end_offset for broker, state in self.replicas.items()}

    def high_watermarks(self) -> dict[int, int | None]:
        return {broker: state.high_watermark for broker, state in self.replicas.items()}

    def described(self) -> dict[str, object]:
        seen: dict[str, object] = {
            "log_end_offsets": {str(broker): end for broker, end in self.ends().items()},
            "high_watermarks": {str(each): mark for each, mark in self.high_watermarks().items()},
        }
        if self.partition is not None:
            seen["leader"] = self.partition.leader
            seen["leader_epoch"] = self.partition.leader_epoch
            seen["isr"] = list(self.partition.isr)
        return seen


def look(
    cluster: Observable,
    record: RunRecord,
    where: TopicPartition,
    brokers: Sequence[int],
    *,
    quiet: bool | None = None,
) -> Look:
    """Look at each replica once and keep what was seen in `replica_states`.

    `quiet` says that nothing moves meanwhile, because every follower stands at the gate. Looks of
    one record follow one another: what an older one saw must not be recorded after a newer one.
    """
    with record.looking:
        return _look(cluster, record, where, brokers, quiet)


def _look(
    cluster: Observable,
    record: RunRecord,
    where: TopicPartition,
    brokers: Sequence[int],
    quiet: bool | None,
) -> Look:
    partition = _partition(cluster, where)
    states = {broker: cluster.replica_state(broker, where) for broker in brokers}
    for state in states.values():
        record.state(
            {
                "broker": state.broker,
                "topic": where.topic,
                "partition": where.partition,
                "log_end_offset": state.log_end_offset,
                "high_watermark": state.high_watermark,
                "leader": partition.leader if partition else None,
                "leader_epoch": partition.leader_epoch if partition else None,
                "isr": ",".join(map(str, partition.isr)) if partition else None,
                "quiet": quiet,
            }
        )
    return Look(partition, states)


def _partition(cluster: Observable, where: TopicPartition) -> PartitionState | None:
    try:
        return cluster.partition_state(where)
    except (OSError, LookupError):
        return None


class Sampler(Lifetime):
    """Looks ten times a second for as long as the context is open."""

    def __init__(
        self,
        cluster: Observable,
        record: RunRecord,
        where: TopicPartition,
        brokers: Sequence[int],
    ) -> None:
        super().__init__()
        self._subject = (cluster, record, where, brokers)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sampler", daemon=True)

    def _begin(self) -> None:
        self._thread.start()
        self._ending.callback(self._end)

    def _end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            look(*self._subject)
