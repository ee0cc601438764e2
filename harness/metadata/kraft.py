"""Metadata as a KRaft cluster tells it: asked of the brokers, changed by the admin apis."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from highwater.harness.errors import PreconditionError
from highwater.harness.gate.headers import (
    ALTER_PARTITION_REASSIGNMENTS,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    DELETE_TOPICS,
    ELECT_LEADERS,
)
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata.views import View, newest
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.unchanged import Derived
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.side_by_side import SideBySide
from highwater.harness.wait import wait_until

CREATE_TOPICS_VERSION = 7
CREATE_PARTITIONS_VERSION = 1
DELETE_TOPICS_VERSION = 3
ELECT_LEADERS_VERSION = 1
ALTER_PARTITION_REASSIGNMENTS_VERSION = 0
PREFERRED = 0
TOPIC_ALREADY_EXISTS, ELECTION_NOT_NEEDED = 36, 84
TIMEOUT_MS = 10_000
VIEW_PATIENCE_S = 1.0
ASSIGNED_S = 30.0

T = TypeVar("T")


class KRaftMetadata:
    """Reads and moves the metadata of a KRaft cluster through whichever broker answers."""

    def __init__(self, wires: Mapping[int, Wire], probes: Mapping[int, ReplicaProbe]) -> None:
        self._wires = wires
        self._probes = probes
        self._ids: dict[str, uuid.UUID] = {}
        self._asked = SideBySide("metadata")
        self._zookeeper: ZooKeeperMetadata | None = None
        self._newest = Derived(newest)

    def close(self) -> None:
        """Ask nobody any more."""
        self._asked.close()

    def stand_beside(self, zookeeper: ZooKeeperMetadata | None) -> None:
        """While brokers leave ZooKeeper they are registered there, too; None: no more."""
        self._zookeeper = zookeeper

    def ask_also(self, broker: int, wire: Wire, probe: ReplicaProbe) -> None:
        """A broker that has joined."""
        self._wires = {**self._wires, broker: wire}  # replaced, never changed: others look at them
        self._probes = {**self._probes, broker: probe}

    def registered(self) -> frozenset[int]:
        """The brokers that a live broker's metadata names: registered and not fenced."""
        metadata = self._first(lambda broker: self._probes[broker].metadata())
        return frozenset(each.broker_id for each in metadata.brokers)

    def create_topic(
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        body = Writer(flexible=True)
        body.array((topic,), lambda name: _write_topic(body, name, assignments, settings))
        body.int32(TIMEOUT_MS)
        body.boolean(False)
        body.tags()
        lost: list[OSError] = []
        answer = self._ask(CREATE_TOPICS, CREATE_TOPICS_VERSION, body, lost)
        answer.int32()  # throttle time
        answer.unsigned_varint()  # one topic
        name, topic_id = answer.string(), answer.uuid()
        code, reason = answer.int16(), answer.nullable_string()
        may_be_done = any(not isinstance(each, ConnectionRefusedError) for each in lost)
        self._ids.pop(name, None)
        if code == TOPIC_ALREADY_EXISTS and may_be_done:  # it is ours: that answer has not come
            return
        if topic_id.int:  # while brokers speak a protocol before 2.8 to one another it is zero
            self._ids[name] = topic_id
        if code:
            chosen = ", ".join(f"{each}={value}" for each, value in settings.items())
            raise AnswerError(f"creating {topic} with {chosen}", code, reason or "")

    def add_partitions(self, topic: str, first: int, assignments: Sequence[Sequence[int]]) -> None:
        body = Writer(flexible=False)
        body.int32(1)  # topic
        body.nullable_string(topic)
        body.int32(first + len(assignments))
        body.array(
            tuple(tuple(each) for each in assignments), lambda each: body.array(each, body.int32)
        )
        body.int32(TIMEOUT_MS)
        body.boolean(False)
        answer = self._ask(CREATE_PARTITIONS, CREATE_PARTITIONS_VERSION, body)
        answer.int32()
        codes = answer.array(lambda: (answer.string(), answer.int16(), answer.nullable_string())[1])
        _accept(f"giving {topic} partitions", codes)

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
        body = Writer(flexible=False)
        body.array((topic,), body.nullable_string)
        body.int32(TIMEOUT_MS)
        answer = self._ask(DELETE_TOPICS, DELETE_TOPICS_VERSION, body)
        answer.int32()
        codes = answer.array(lambda: (answer.string(), answer.int16())[1])
        _accept(f"deleting {topic}", codes)

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

        Raises AnswerError for what the controller refuses, DeadlineError for what takes longer.
        """
        self.begin_reassignment(where, replicas)
        wait_until(
            lambda: self.partition(where).replicas == tuple(replicas),
            f"the replicas of {where} to be assigned in the order {list(replicas)}",
            timeout_s,
        )

    def begin_reassignment(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        """Ask for these replicas; does not wait until they are."""
        body = Writer(flexible=True)
        body.int32(TIMEOUT_MS)
        body.array((where,), lambda each: _write_reassignment(body, each, replicas))
        body.tags()
        answer = self._ask(
            ALTER_PARTITION_REASSIGNMENTS, ALTER_PARTITION_REASSIGNMENTS_VERSION, body
        )
        answer.int32()
        code, _ = answer.int16(), answer.nullable_string()
        _accept(f"reassigning {where}", (code, *_refusals(answer)))

    def elect_preferred(self, where: TopicPartition) -> None:
        """Ask for the first replica to lead; raises AnswerError when the controller refuses."""
        body = Writer(flexible=False)
        body.int8(PREFERRED)
        body.int32(1)
        body.nullable_string(where.topic)
        body.array((where.partition,), body.int32)
        body.int32(TIMEOUT_MS)
        answer = self._ask(ELECT_LEADERS, ELECT_LEADERS_VERSION, body)
        answer.int32()
        _accept(f"electing a leader of {where}", (answer.int16(), *_refusals(answer)))

    def end_session(self, broker: int) -> None:
        """Of KRaft nothing: the controller fences a silent broker when its session times out."""
        if self._zookeeper is not None:
            self._zookeeper.end_session(broker)

    def fail_over_controller(self) -> int:
        """Raises PreconditionError: there is one controller, and it is no broker."""
        raise PreconditionError("a KRaft cluster of one controller cannot fail over to another")

    def move_controller(self, to: int) -> None:
        """Nothing to do: there is one controller, and it stays where it is."""

    def _ask(
        self, api_key: int, version: int, body: Writer, lost: list[OSError] | None = None
    ) -> Reader:
        """The answer of any broker; the connections to all of them may have to be opened anew.

        `lost` is told why others gave none: they may have done what they were asked all the same.
        """
        asked = bytes(body.buffer)

        def ask(broker: int) -> Reader:
            try:
                return self._wires[broker].ask(api_key, version, asked)
            except OSError as error:
                if lost is not None:
                    lost.append(error)
                raise

        return wait_until(lambda: self._first(ask), f"a broker to answer api {api_key}")

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


def _refusals(answer: Reader) -> list[int]:
    """The error codes of partitions, at the end of an answer."""

    def partition() -> int:
        answer.int32()
        code = answer.int16()
        answer.nullable_string()
        answer.tags()
        return code

    def topic() -> tuple[int, ...]:
        answer.string()
        codes = answer.array(partition)
        answer.tags()
        return codes

    return [code for codes in answer.array(topic) for code in codes]


def _write_reassignment(body: Writer, where: TopicPartition, replicas: Sequence[int]) -> None:
    body.nullable_string(where.topic)
    body.array((where.partition,), lambda each: _write_partition(body, each, replicas))
    body.tags()


def _write_partition(body: Writer, partition: int, replicas: Sequence[int]) -> None:
    body.int32(partition)
    body.array(tuple(replicas), body.int32)
    body.tags()


def _write_topic(
    body: Writer, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
) -> None:
    body.nullable_string(topic)
    body.int32(-1)  # how many partitions and replicas: see the assignments
    body.int16(-1)
    body.array(tuple(enumerate(assignments)), lambda each: _write_partition(body, *each))
    body.array(tuple(settings.items()), lambda setting: _write_setting(body, *setting))
    body.tags()


def _write_setting(body: Writer, name: str, value: str) -> None:
    body.nullable_string(name)
    body.nullable_string(value)
    body.tags()


def _accept(what: str, codes: Sequence[int]) -> None:
    for code in codes:
        if code not in {0, ELECTION_NOT_NEEDED}:
            raise AnswerError(what, code)
