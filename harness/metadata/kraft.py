"""Metadata as a KRaft cluster tells it: asked of the brokers, changed by the admin apis."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from highwater.harness.errors import PreconditionError
from highwater.harness.metadata import changes
from highwater.harness.metadata.changes import Answer, Assignments, Change
from highwater.harness.metadata.views import View, newest
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import Altered, PartitionState, TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.unchanged import Derived
from highwater.harness.probes.wire import Wire
from highwater.harness.side_by_side import SideBySide
from highwater.harness.wait import wait_until

VIEW_PATIENCE_S = 1.0
ASSIGNED_S = 30.0
ANSWERED_S = 30.0

T = TypeVar("T")


class KRaftMetadata:
    """Reads and moves the metadata of a KRaft cluster through whichever broker answers."""

    def __init__(self, wires: Mapping[int, Wire], probes: Mapping[int, ReplicaProbe]) -> None:
        self._wires = wires
        self._probes = probes
        self._ids: dict[str, uuid.UUID] = {}
        self._asked = SideBySide("metadata")
        self.beside: ZooKeeperMetadata | None = None  # where brokers are registered, too
        self._newest = Derived(newest)

    def close(self) -> None:
        """Ask nobody any more."""
        self._asked.close()

    def ask_also(self, broker: int, wire: Wire, probe: ReplicaProbe) -> None:
        """A broker that has joined."""
        self._wires = {**self._wires, broker: wire}  # replaced, never changed: others look at them
        self._probes = {**self._probes, broker: probe}

    def registered(self) -> frozenset[int]:
        """The brokers that a live broker's metadata names: registered and not fenced."""
        metadata = self._first(lambda broker: self._probes[broker].metadata())
        return frozenset(each.broker_id for each in metadata.brokers)

    def create_topic(
        self, topic: str, assignments: Assignments, settings: Mapping[str, str]
    ) -> None:
        self._ids.pop(topic, None)
        placed = partial(self._are_placed, topic, 0, assignments)
        answer = self._carry_out(changes.creation(topic, assignments, settings), placed)
        if answer.topic_id is not None:
            self._ids[topic] = answer.topic_id

    def add_partitions(self, topic: str, first: int, assignments: Assignments) -> None:
        placed = partial(self._are_placed, topic, first, assignments)
        self._carry_out(changes.more_partitions(topic, first, assignments), placed)

    def _are_placed(self, topic: str, first: int, assignments: Assignments) -> bool:
        """Whether partitions from this number on have these replicas; none are any."""
        wheres = [TopicPartition(topic, first + number) for number in range(len(assignments))]
        found = self.partitions(wheres)
        return all(
            where in found and (not wanted or found[where].replicas == tuple(wanted))
            for where, wanted in zip(wheres, assignments, strict=True)
        )

    def has_topic(self, topic: str) -> bool:
        """By a live broker's metadata."""
        metadata = self._first(lambda broker: self._probes[broker].metadata(topic))
        return not metadata.topic_errors

    def is_free(self, topic: str) -> bool:
        """No broker that answers knows it: by its epochs it would be newer than the next one."""
        questions = {broker: partial(self._knows, broker, topic) for broker in self._probes}
        answers = self._asked.ask(questions, VIEW_PATIENCE_S)
        return not any(answer.result() for answer in answers.values())

    def _knows(self, broker: int, topic: str) -> bool:
        try:
            return not self._probes[broker].metadata(topic).topic_errors
        except OSError:
            return False

    def topic_id(self, topic: str) -> uuid.UUID | None:
        """The id that the topic got here when it was created."""
        return self._ids.get(topic)

    def delete_topic(self, topic: str) -> None:
        self._carry_out(changes.deletion(topic), lambda: self._is_unknown(topic))

    def _is_unknown(self, topic: str) -> bool:
        """That it may not be described says nothing of whether it is there."""
        metadata = self._first(lambda broker: self._probes[broker].metadata(topic))
        return metadata.topic_errors.get(topic) == changes.UNKNOWN_TOPIC_OR_PARTITION

    def partition(self, where: TopicPartition) -> PartitionState:
        """The newest view among the live brokers; among equal epochs the leader's own.

        They are asked side by side, and one that is silent is not waited for: see SideBySide.
        Raises LookupError while no live broker knows the partition.
        """
        found = self.partitions([where])
        if where not in found:
            raise LookupError(f"no live broker knows {where}")
        return found[where]

    def partitions(
        self, wheres: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, PartitionState]:
        """The same of several, without those that no live broker knows."""
        topics = sorted({where.topic for where in wheres})
        questions = {broker: partial(self._views, broker, topics) for broker in self._probes}
        answers = self._asked.ask(questions, VIEW_PATIENCE_S)
        views = {broker: answer.result() for broker, answer in answers.items()}
        ids = {topic: str(self._ids[topic]) for topic in topics if topic in self._ids}
        return self._newest(views, ids, tuple(wheres))

    def reassign(
        self, where: TopicPartition, replicas: Sequence[int], timeout_s: float = ASSIGNED_S
    ) -> None:
        """Wait until these are the replicas, in this order, and no other is on its way.

        Raises AnswerError for what the controller refuses, DeadlineError for what takes longer, and
        UnknownOutcomeError where no answer has come by then to what was sent.
        """
        ends_s = time.monotonic() + timeout_s
        self._begin_reassignment(where, replicas, ends_s)
        wait_until(
            lambda: self.partition(where).replicas == tuple(replicas),
            f"the replicas of {where} to be assigned in the order {list(replicas)}",
            ends_s - time.monotonic(),
        )

    def begin_reassignment(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        """Ask for these replicas; does not wait until they are."""
        self._begin_reassignment(where, replicas, math.inf)

    def _begin_reassignment(
        self, where: TopicPartition, replicas: Sequence[int], ends_s: float
    ) -> None:
        change = changes.reassignment(where, replicas)
        change.ends_s = ends_s
        self._carry_out(change, lambda: self.partition(where).replicas == tuple(replicas))

    def elect_preferred(self, where: TopicPartition) -> None:
        """Ask for the first replica to lead; raises AnswerError when the controller refuses."""

        def leads() -> bool:
            state = self.partition(where)
            return state.leader == state.replicas[0]

        self._carry_out(changes.election(where), leads)

    def alter(self, what: Altered, settings: Mapping[str, str | None]) -> None:
        """Settings that are taken while brokers run; None for one that is no more.

        A broker is asked for its own: others do not hand that on.
        """
        change = changes.alteration(what, settings)
        if what.kind == "broker":
            change.settle(partial(change.ask, self._wires[int(what.name)]), lambda: False)
        else:
            self._carry_out(change, lambda: False)

    def end_session(self, broker: int) -> None:
        """Of KRaft nothing: the controller fences a silent broker when its session times out."""
        if self.beside is not None:
            self.beside.end_session(broker)

    def fail_over_controller(self) -> int:
        """Raises PreconditionError: there is one controller, and it is no broker."""
        raise PreconditionError("a KRaft cluster of one controller cannot fail over to another")

    def move_controller(self, to: int) -> None:
        """Nothing to do: there is one controller, and it stays where it is."""

    def _carry_out(self, change: Change, is_made: Callable[[], bool]) -> Answer:
        """See `Change.settle`."""
        return change.settle(partial(self._ask, change), is_made)

    def _ask(self, change: Change) -> Answer:
        """The answer of any broker; the connections to all of them may have to be opened anew."""

        def answer() -> tuple[Answer]:
            return (self._first(lambda broker: change.ask(self._wires[broker])),)

        what = f"a broker to answer api {change.api_key}"
        return wait_until(answer, what, change.within(ANSWERED_S))[0]

    def _first(self, question: Callable[[int], T]) -> T:
        """The answer of the first broker that gives one; who was silent is asked last."""
        silent: list[str] = []
        for broker in sorted(self._probes, key=self._asked.is_silent):
            try:
                return question(broker)
            except OSError as error:
                silent.append(f"{broker}: {error}")
        raise ConnectionError(f"no broker answers ({'; '.join(silent)})")

    def _views(self, broker: int, topics: Sequence[str]) -> View:
        try:
            return [(topic, self._probes[broker].partitions(topic)) for topic in topics]
        except OSError:
            return []
