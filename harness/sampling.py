"""Looks at every replica of some partitions, on request and all the time, and records it."""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from highwater.harness.cluster import Cluster
from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, UsageError, in_words
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

T = TypeVar("T")
Offsets = Mapping[int, int]  # by broker

INTERVAL_S = 0.1
AT_FULL_RATE = 20  # partitions; of twice as many each is looked at half as often
PATIENCE_S = 3.0  # for a broker's answer; one that was silent before is hardly waited for
METADATA, METADATA_PATIENCE_S = 0, 1.0  # no broker has the number 0 here
END_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a whole partition; its probes are taken side by side, not at one instant."""

    partition: PartitionState | None  # None while nobody knows
    replicas: dict[int, ReplicaState]

    def ends(self) -> dict[int, int | None]:
        return {broker: state.log_end_offset for broker, state in self.replicas.items()}

    def high_watermarks(self) -> dict[int, int | None]:
        return {broker: state.high_watermark for broker, state in self.replicas.items()}

    def shows(self, ends: Offsets, high_watermarks: Offsets | None = None) -> bool:
        """Whether replicas have these log end offsets and high watermarks."""
        now_ends, now_marks = self.ends(), self.high_watermarks()
        return all(now_ends.get(each) == end for each, end in ends.items()) and all(
            now_marks.get(each) == mark for each, mark in (high_watermarks or {}).items()
        )

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

    Every broker is probed by a thread of its own, one probe at a time, which asks for all of its
    replicas at once: a row stands for its own moment, the rows of a replica are in the order of
    their probes, whoever asked for them, and a broker that is frozen holds up nobody but itself.
    Very many partitions are looked at less often.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__()
        self._cluster = cluster
        self._record = record
        self._watched: dict[TopicPartition, Sequence[int]] = {}  # replaced, never changed
        self._asked = SideBySide("look")
        self._known: Mapping[TopicPartition, PartitionState] = {}  # as read last, by whoever looks
        self._sampled: dict[int, Future[Any]] = {}
        self._complaints = Complaints("sampler", lambda text: record.event("note", text))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sampler", daemon=True)

    def watch(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        """Look at these replicas from now on."""
        self._watched = {**self._watched, where: tuple(replicas)}

    def forget(self, wheres: Sequence[TopicPartition]) -> None:
        """Look at these no more: what is still answered of them may be of another topic."""
        left = set(wheres)
        self._watched = {each: of for each, of in self._watched.items() if each not in left}

    def look(self, where: TopicPartition, *, quiet: bool | None = None) -> Look:
        """See `look_at`."""
        return self.look_at((where,), quiet=quiet)[where]

    def look_at(
        self, wheres: Sequence[TopicPartition], *, quiet: bool | None = None
    ) -> dict[TopicPartition, Look]:
        """Look at each replica of partitions once and keep what was seen in `replica_states`.

        `quiet` says that nothing moves meanwhile, because every follower stands at the gate. Raises
        InfrastructureError for an answer that cannot be read.
        """
        watched = self._watched
        for where in wheres:
            if where not in watched:
                raise UsageError(f"{where} has been deleted, and nobody looks at it any more")
        known = self._read_metadata(tuple(wheres))
        request = _Request(quiet)
        asked = _by_broker({where: watched[where] for where in wheres})
        questions = {
            each: partial(self._probe, each, mine, request) for each, mine in asked.items()
        }
        answers = self._asked.ask(questions, PATIENCE_S)
        request.quiet = None  # of an answer that comes later: something may move by then
        found = {
            where: Look(known.get(where), {each: _silent(each) for each in watched[where]})
            for where in wheres
        }
        for broker, answer in answers.items():
            states: list[ReplicaState] = _read(answer)
            for where, state in zip(asked[broker], states, strict=True):
                found[where].replicas[broker] = state
        return found

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
            while not self._stop.wait(INTERVAL_S * max(1, len(self._watched) // AT_FULL_RATE)):
                self._glance()
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _glance(self) -> None:
        """Begin to probe whoever has answered before; what a probe raised goes on the record."""
        watched = self._watched
        try:
            self._read_metadata(tuple(watched))
        except Exception as error:  # noqa: BLE001 - told
            self._complaints.add(f"reading the metadata: {in_words(error)}")
        for broker, mine in _by_broker(watched).items():
            before = self._sampled.get(broker)
            if before is not None and not before.done():
                continue
            wrong = None if before is None else before.exception()
            if wrong is not None:
                self._complaints.add(f"looking at broker {broker}: {in_words(wrong)}")
            begun = self._asked.begin(broker, partial(self._probe, broker, mine, _Request(None)))
            if begun is not None:
                self._sampled[broker] = begun

    def _read_metadata(
        self, wheres: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, PartitionState]:
        """Who leads now, as far as anybody knows it."""
        question = partial(self._take_metadata, wheres)
        read = self._asked.ask({METADATA: question}, METADATA_PATIENCE_S).get(METADATA)
        if read is None:
            self._know(wheres, {})
            return {}
        return _read(read)

    def _take_metadata(
        self, wheres: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, PartitionState]:
        try:
            states = self._cluster.metadata.partitions(wheres)
        except (OSError, LookupError):
            states = {}
        self._know(wheres, states)
        return states

    def _know(
        self,
        wheres: Sequence[TopicPartition],
        states: Mapping[TopicPartition, PartitionState],
    ) -> None:
        known = {**self._known, **states}
        for where in wheres:
            if where not in states:
                known.pop(where, None)
        self._known = known

    def _probe(
        self, broker: int, wheres: Sequence[TopicPartition], request: _Request
    ) -> list[ReplicaState]:
        before = self._known
        states = self._cluster.probe(broker).states(broker, wheres)
        after = self._known
        for where, state in zip(wheres, states, strict=True):
            # Metadata that changed during the probe say nothing of what it saw.
            known = before.get(where)
            same = after is before or known == after.get(where)
            self._note(where, state, known if same else None, request)
        return states

    def _note(
        self,
        where: TopicPartition,
        state: ReplicaState,
        partition: PartitionState | None,
        request: _Request,
    ) -> None:
        if where not in self._watched:
            return
        self._record.state(
            {
                "broker": state.broker,
                "topic": where.told_as,
                "partition": where.partition,
                "log_end_offset": state.log_end_offset,
                "high_watermark": state.high_watermark,
                "leader": partition.leader if partition else None,
                "leader_epoch": partition.leader_epoch if partition else None,
                "isr": ",".join(map(str, partition.isr)) if partition else None,
                "quiet": request.quiet,
                "topic_id": partition.topic_id if partition else None,
                "replicas": ",".join(map(str, partition.replicas)) if partition else None,
                "last_stable_offset": state.last_stable_offset,
            }
        )


def _by_broker(
    watched: Mapping[TopicPartition, Sequence[int]],
) -> dict[int, tuple[TopicPartition, ...]]:
    """Of which of these partitions each broker has a replica."""
    brokers = sorted({each for replicas in watched.values() for each in replicas})
    return {
        broker: tuple(where for where, replicas in watched.items() if broker in replicas)
        for broker in brokers
    }


def _silent(broker: int) -> ReplicaState:
    return ReplicaState(broker, None, None)


def _read(answer: Future[T]) -> T:
    """What was answered; raises InfrastructureError for bytes that make no answer."""
    try:
        return answer.result()
    except (ValueError, struct.error) as error:
        raise InfrastructureError(f"an answer cannot be read: {in_words(error)}") from error
