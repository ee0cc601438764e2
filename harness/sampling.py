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
from highwater.harness.probes.unchanged import Derived
from highwater.harness.record.states import Known, Probed, Wheres
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

T = TypeVar("T")
Offsets = Mapping[int, int]  # by broker
Watched = Mapping[TopicPartition, Sequence[int]]  # and who has replicas of it
States = tuple[ReplicaState, ...]

INTERVAL_S = 0.1
AT_FULL_RATE = 20  # partitions; of twice as many each is looked at half as often
PATIENCE_S = 3.0  # for a broker's answer; one that was silent before is hardly waited for
METADATA, METADATA_PATIENCE_S = 0, 1.0  # no broker has the number 0 here
END_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a whole partition; its probes are taken side by side, not at one instant."""

    partition: PartitionState | None  # None while nobody knows
    replicas: Mapping[int, ReplicaState]

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

    watched: Watched  # when it was asked for
    quiet: bool | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """Whom to ask for what in a look at some partitions."""

    replicas: Watched  # of these partitions
    asked: Mapping[int, Wheres]  # by broker


class Sampler(Lifetime):
    """Looks at replicas on request, and ten times a second for as long as the context is open.

    Every broker is probed by a thread of its own, one probe at a time, which asks for all of its
    replicas at once: a row stands for its own moment, the rows of a replica are in the order of
    their probes, whoever asked for them, and a broker that is frozen holds up nobody but itself.
    Very many partitions are looked at less often, and what has not changed is not made anew.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__()
        self._cluster = cluster
        self._record = record
        self._watched: Watched = {}  # replaced, never changed
        self._asked = SideBySide("look")
        self._known: Known = {}  # as read last, by whoever looks; replaced where it has changed
        self._plan, self._looks = Derived(_plan), Derived(_looks)
        self._knowing = Derived(_knowing)
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
    ) -> Mapping[TopicPartition, Look]:
        """Look at each replica of partitions once and keep what was seen in `replica_states`.

        `quiet` says that nothing moves meanwhile, because every follower stands at the gate. Raises
        InfrastructureError for an answer that cannot be read.
        """
        watched, asked_for = self._watched, tuple(wheres)
        plan = self._plan(asked_for, watched)
        known = self._read_metadata(asked_for)
        request = _Request(watched, quiet)
        questions = {
            each: partial(self._probe, each, mine, request) for each, mine in plan.asked.items()
        }
        answers = self._asked.ask(questions, PATIENCE_S)
        request.quiet = None  # of an answer that comes later: something may move by then
        states = {broker: _read(answer) for broker, answer in answers.items()}
        return self._looks(states, known, plan)

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
        wheres = tuple(watched)
        try:
            self._read_metadata(wheres)
        except Exception as error:  # noqa: BLE001 - told
            self._complaints.add(f"reading the metadata: {in_words(error)}")
        request = _Request(watched, None)
        for broker, mine in self._plan(wheres, watched).asked.items():
            before = self._sampled.get(broker)
            if before is not None and not before.done():
                continue
            wrong = None if before is None else before.exception()
            if wrong is not None:
                self._complaints.add(f"looking at broker {broker}: {in_words(wrong)}")
            begun = self._asked.begin(broker, partial(self._probe, broker, mine, request))
            if begun is not None:
                self._sampled[broker] = begun

    def _read_metadata(self, wheres: Wheres) -> Known:
        """Who leads now, as far as anybody knows it."""
        question = partial(self._take_metadata, wheres)
        read = self._asked.ask({METADATA: question}, METADATA_PATIENCE_S).get(METADATA)
        if read is None:
            self._know(wheres, {})
            return {}
        return _read(read)

    def _take_metadata(self, wheres: Wheres) -> Known:
        try:
            states = self._cluster.metadata.partitions(wheres)
        except (OSError, LookupError):
            states = {}
        self._know(wheres, states)
        return states

    def _know(self, wheres: Wheres, states: Known) -> None:
        self._known = self._knowing(states, self._known, wheres)

    def _probe(self, broker: int, wheres: Wheres, request: _Request) -> States:
        before = self._known
        states = self._cluster.probe(broker).states(broker, wheres)
        after, at_ns = self._known, self._record.now_ns()
        # Metadata that changed during the probe say nothing of what it saw.
        known = before if after is before else _unchanged(before, after)
        noted = wheres, states
        if self._watched is not request.watched:  # somebody may have been forgotten meanwhile
            noted = _still_watched(self._watched, wheres, states)
        if noted[0]:
            self._record.states(Probed(at_ns, broker, request.quiet, known, *noted))
        return states


def _plan(wheres: Wheres, watched: Watched) -> _Plan:
    for where in wheres:
        if where not in watched:
            raise UsageError(f"{where} has been deleted, and nobody looks at it any more")
    replicas = {where: watched[where] for where in wheres}
    brokers = sorted({each for of_one in replicas.values() for each in of_one})
    asked = {
        broker: tuple(where for where, of_one in replicas.items() if broker in of_one)
        for broker in brokers
    }
    return _Plan(replicas, asked)


def _looks(
    states: Mapping[int, States], known: Known, plan: _Plan
) -> Mapping[TopicPartition, Look]:
    """What those have seen who answered; the others are silent."""
    seen = {
        (broker, where): state
        for broker, of_broker in states.items()
        for where, state in zip(plan.asked[broker], of_broker, strict=True)
    }
    return {
        where: Look(
            known.get(where), {each: seen.get((each, where)) or _silent(each) for each in brokers}
        )
        for where, brokers in plan.replicas.items()
    }


def _knowing(states: Known, known: Known, wheres: Wheres) -> Known:
    """What is known when these are the states of these partitions, and others have none."""
    if all(known.get(where) == states.get(where) for where in wheres):
        return known
    asked = set(wheres)
    others = {where: state for where, state in known.items() if where not in asked}
    return {**others, **states}


def _unchanged(before: Known, after: Known) -> Known:
    return {where: state for where, state in before.items() if after.get(where) == state}


def _still_watched(watched: Watched, wheres: Wheres, states: States) -> tuple[Wheres, States]:
    """Without those that have been forgotten."""
    left = [pair for pair in zip(wheres, states, strict=True) if pair[0] in watched]
    return tuple(where for where, _ in left), tuple(state for _, state in left)


def _silent(broker: int) -> ReplicaState:
    return ReplicaState(broker, None, None)


def _read(answer: Future[T]) -> T:
    """What was answered; raises InfrastructureError for bytes that make no answer."""
    try:
        return answer.result()
    except (ValueError, struct.error) as error:
        raise InfrastructureError(f"an answer cannot be read: {in_words(error)}") from error
