"""Looks at every replica of a partition, on request and all the time, and records what it saw."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, in_words
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

T = TypeVar("T")

INTERVAL_S = 0.1
PATIENCE_S = 3.0  # for a broker's answer; one that was silent before is hardly waited for
METADATA, METADATA_PATIENCE_S = 0, 1.0  # no broker has the number 0 here
END_TIMEOUT_S = 10.0


class Observable(Protocol):
    """The part of a cluster that can be looked at."""

    def replica_state(self, broker: int, where: TopicPartition) -> ReplicaState: ...
    def partition_state(self, where: TopicPartition) -> PartitionState: ...


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a whole partition; its probes are taken side by side, not at one instant."""

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


@dataclass(slots=True)
class _Request:
    """One look, while somebody waits for it."""

    quiet: bool | None


class Sampler(Lifetime):
    """Looks at replicas on request, and ten times a second for as long as the context is open.

    Every broker is probed by a thread of its own, one probe at a time: a row stands for its own
    moment, the rows of a replica are in the order of their probes, whoever asked for them, and a
    broker that is frozen holds up nobody but itself.
    """

    def __init__(
        self,
        cluster: Observable,
        record: RunRecord,
        where: TopicPartition,
        brokers: Sequence[int],
    ) -> None:
        super().__init__()
        self._cluster = cluster
        self._record = record
        self._where = where
        self._brokers = brokers
        self._asked = SideBySide("look")
        self._partition: PartitionState | None = None  # as it was read last, by whoever looks
        self._sampled: dict[int, Future[Any]] = {}
        self._complaints = Complaints("sampler", lambda text: record.event("note", text))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sampler", daemon=True)

    def look(self, *, quiet: bool | None = None) -> Look:
        """Look at each replica once and keep what was seen in `replica_states`.

        `quiet` says that nothing moves meanwhile, because every follower stands at the gate. Raises
        InfrastructureError for an answer that cannot be read.
        """
        partition = self._read_partition()
        request = _Request(quiet)
        questions = {each: partial(self._probe, each, request) for each in self._brokers}
        answers = self._asked.ask(questions, PATIENCE_S)
        request.quiet = None  # of an answer that comes later: something may move by then
        silent = {each: ReplicaState(each, None, None) for each in self._brokers}
        return Look(partition, silent | {each: _read(one) for each, one in answers.items()})

    def waiting(self, broker: int) -> int:
        """How many looks wait for a probe of this broker that has not begun."""
        return self._asked.waiting(broker)

    def _begin(self) -> None:
        self._ending.callback(self._asked.close)
        self._thread.start()
        self._ending.callback(self._end)

    def _end(self) -> None:
        """Raises what has ended it early."""
        self._stop.set()
        self._thread.join(END_TIMEOUT_S)
        self._complaints.close()
        if self._thread.is_alive():
            raise InfrastructureError(f"the sampler was still looking {END_TIMEOUT_S} s later")
        if self._failure is not None:
            failed = in_words(self._failure)
            raise InfrastructureError(f"the sampler ended early: {failed}") from self._failure

    def _sample(self) -> None:
        try:
            while not self._stop.wait(INTERVAL_S):
                self._glance()
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _glance(self) -> None:
        """Begin to probe whoever has answered before; what a probe raised goes on the record."""
        try:
            self._read_partition()
        except Exception as error:  # noqa: BLE001 - told
            self._complaints.add(f"reading the metadata of {self._where}: {in_words(error)}")
        for broker in self._brokers:
            before = self._sampled.get(broker)
            if before is not None and not before.done():
                continue
            wrong = None if before is None else before.exception()
            if wrong is not None:
                self._complaints.add(f"looking at broker {broker}: {in_words(wrong)}")
            begun = self._asked.begin(broker, partial(self._probe, broker, _Request(None)))
            if begun is not None:
                self._sampled[broker] = begun

    def _read_partition(self) -> PartitionState | None:
        """Who leads now; None where nobody knows."""
        read = self._asked.ask({METADATA: self._take_partition}, METADATA_PATIENCE_S).get(METADATA)
        if read is None:
            self._partition = None
            return None
        return _read(read)

    def _take_partition(self) -> PartitionState | None:
        try:
            self._partition = self._cluster.partition_state(self._where)
        except (OSError, LookupError):
            self._partition = None
        return self._partition

    def _probe(self, broker: int, request: _Request) -> ReplicaState:
        before = self._partition
        state = self._cluster.replica_state(broker, self._where)
        # Metadata that changed during the probe say nothing of what it saw.
        partition = before if before == self._partition else None
        self._record.state(
            {
                "broker": state.broker,
                "topic": self._where.topic,
                "partition": self._where.partition,
                "log_end_offset": state.log_end_offset,
                "high_watermark": state.high_watermark,
                "leader": partition.leader if partition else None,
                "leader_epoch": partition.leader_epoch if partition else None,
                "isr": ",".join(map(str, partition.isr)) if partition else None,
                "quiet": request.quiet,
                "topic_id": partition.topic_id if partition else None,
            }
        )
        return state


def _read(answer: Future[T]) -> T:
    """What was answered; raises InfrastructureError for bytes that make no answer."""
    try:
        return answer.result()
    except (ValueError, struct.error) as error:
        raise InfrastructureError(f"an answer cannot be read: {in_words(error)}") from error
