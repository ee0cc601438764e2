"""Metadata as ZooKeeper keeps it: the partition-state znode is authoritative and immediate.

Topics are created, reordered and elected by the znodes that Kafka's own tools of the time wrote,
which every release with ZooKeeper still watches; no tool's JVM has to start.
"""

from __future__ import annotations

import uuid
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.metadata.office import Office
from highwater.harness.metadata.znodes import Znodes, read_answer
from highwater.harness.model import Altered, PartitionState, TopicPartition
from highwater.harness.wait import wait_until

REASSIGNMENTS = "/admin/reassign_partitions"
ELECTIONS = "/admin/preferred_replica_election"
CHANGES = "/config/changes/config_change_"
MIGRATION = "/migration"
ASSIGNED_S = 30.0
ASKED_AT_MOST = 3  # for one election


class ZooKeeperMetadata:
    """Reads and moves the metadata of a cluster whose ZooKeeper servers listen at `addresses`.

    `heard_from` says whether every running broker names this one its controller; `root` is the
    znode that all others are under (of zookeeper.connect what stands behind the servers). `alone`
    freezes all brokers but one.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        heard_from: Callable[[int], bool],
        root: str = "",
        alone: Callable[[int], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._znodes = Znodes(addresses, root)
        self._office = Office(self._znodes, heard_from, alone)
        self._in_office: Any = None  # the znode of the controller that was asked for an election

    def connect(self) -> None:
        """Raises DeadlineError when ZooKeeper does not come up."""
        self._znodes.connect()

    def close(self) -> None:
        """Raises DeadlineError when the client does not end: ZooKeeper is frozen, perhaps."""
        self._znodes.close()

    def registered(self) -> frozenset[int]:
        return frozenset(int(each) for each in self._znodes.children("/brokers/ids"))

    def controller(self) -> int | None:
        """The broker that holds the controller's znode."""
        return self._office.holder()

    def migrated_by(self) -> int | None:
        """The KRaft controller that has copied all metadata (KIP-866); None before."""
        found = self._znodes.read(MIGRATION)
        if found is None or found["kraft_metadata_offset"] < 0:
            return None
        return int(found["kraft_controller_id"])

    def create_topic(
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        """A topic whose partitions have these replicas, the preferred one of each first.

        Raises UsageError for a partition without replicas: here no broker is asked for some.
        """
        if not all(assignments):
            raise UsageError(
                f"{topic} cannot have as many replicas as brokers give by default: in ZooKeeper "
                "topics are written, and no broker is asked; expected a number of replicas"
            )
        self._znodes.write(f"/config/topics/{topic}", {"version": 1, "config": dict(settings)})
        partitions = {str(number): list(each) for number, each in enumerate(assignments)}
        self._znodes.write(f"/brokers/topics/{topic}", {"version": 1, "partitions": partitions})

    def add_partitions(self, topic: str, first: int, assignments: Sequence[Sequence[int]]) -> None:
        """What else the znode says of the topic stays as it is."""
        node = f"/brokers/topics/{topic}"
        written = self._znodes.read(node) or {}
        added = {str(number): list(each) for number, each in enumerate(assignments, first)}
        partitions = {**written["partitions"], **added}
        self._znodes.replace(node, {**written, "partitions": partitions})

    def has_topic(self, topic: str) -> bool:
        return self._znodes.read(f"/brokers/topics/{topic}") is not None

    def is_free(self, topic: str) -> bool:
        """Nothing of it is left: its controller removes its settings last but one, the order last.

        What was created in between would be without settings, or be deleted as well.
        """
        left = ("/brokers/topics/", "/config/topics/", "/admin/delete_topics/")
        return not any(self._znodes.exists(f"{each}{topic}") for each in left)

    def topic_id(self, topic: str) -> uuid.UUID | None:
        """The id that the controller gave the topic, from 2.8 on."""
        return _topic_id(self._znodes.read(f"/brokers/topics/{topic}") or {})

    def delete_topic(self, topic: str) -> None:
        self._znodes.create(f"/admin/delete_topics/{topic}")

    def partition(self, where: TopicPartition) -> PartitionState:
        """Raises LookupError while the controller has not decided yet."""
        found = self.partitions([where])
        if where not in found:
            raise LookupError(f"ZooKeeper has no state for {where}")
        return found[where]

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        """Of these partitions, without those of which the controller has not decided yet.

        All are asked for before the first answer is waited for.
        """
        topics = {where.topic: self._znodes.ask(_node(where.topic)) for where in wheres}
        states = {
            where: self._znodes.ask(f"{_node(where.topic)}/partitions/{where.partition}/state")
            for where in wheres
        }
        assigned = {topic: read_answer(question) for topic, question in topics.items()}
        return {
            where: _state(where, state, of_topic)
            for where, question in states.items()
            if (state := read_answer(question)) and (of_topic := assigned[where.topic])
        }

    def reassign(
        self, where: TopicPartition, replicas: Sequence[int], timeout_s: float = ASSIGNED_S
    ) -> None:
        """Wait until these are the replicas, in this order, and no other is on its way.

        Raises DeadlineError for what takes longer, or is refused, as up to 0.10.0 while one of them
        is dead (KAFKA-4214). A controller that has just taken office clears the request away, read
        or not: then it is made again.
        """

        def reassigned() -> bool:
            if self.partition(where).replicas == tuple(replicas):
                return True
            if not self._znodes.exists(REASSIGNMENTS):
                self.begin_reassignment(where, replicas)
            return False

        wait_until(
            reassigned,
            f"the replicas of {where} to be assigned in the order {list(replicas)}",
            timeout_s,
        )

    def begin_reassignment(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        """Ask for these replicas; does not wait until they are."""
        moved = {"topic": where.topic, "partition": where.partition, "replicas": list(replicas)}
        self._znodes.write(REASSIGNMENTS, {"version": 1, "partitions": [moved]})

    def elect_preferred(self, where: TopicPartition) -> None:
        """Ask the controller to make the first replica the leader; does not wait for it.

        The last that a controller does when it takes office is to clear away the elections that
        were asked for, read or not (seen with 0.10.2.2 and 0.11.0.3): who has not been asked before
        is asked until the replica leads, or often enough.
        """
        named = {"topic": where.topic, "partition": where.partition}
        request = {"version": 1, "partitions": [named]}
        now = self._office.term
        if now is None or now == self._in_office:
            self._request(ELECTIONS, request)
            return
        for _ in range(ASKED_AT_MOST):
            self._request(ELECTIONS, request)
            wait_until(lambda: not self._znodes.exists(ELECTIONS), "the controller's election")
            state = self.partition(where)
            if state.leader == state.replicas[0]:
                break
        self._in_office = now

    def alter(self, what: Altered, settings: Mapping[str, str | None]) -> None:
        """Settings that are taken while brokers run; None for one that is no more.

        Some of a topic are heard of only so: nobody is told of those that it is created with.
        """
        entity = f"{what.kind}s/{what.name}"
        node = f"/config/{entity}"
        known = (self._znodes.read(node) or {"config": {}})["config"]
        kept = {name: value for name, value in {**known, **settings}.items() if value is not None}
        content = {"version": 1, "config": kept}
        if self._znodes.exists(node):
            self._znodes.replace(node, content)
        else:
            self._znodes.write(node, content)
        self._znodes.append(CHANGES, {"version": 2, "entity_path": entity})

    def end_session(self, broker: int) -> None:
        """End what is left of a dead broker's session, so that nobody has to wait for it.

        Exactly what ZooKeeper does when the session times out: its ephemeral znodes go.
        """
        self._znodes.delete(f"/brokers/ids/{broker}")
        if self.controller() == broker:
            self._office.end_term()

    def fail_over_controller(self) -> int:
        """End the controller's term until another broker has the office; returns which one."""
        return self._office.fail_over()

    def move_controller(self, to: int) -> None:
        """End terms until the office is that of `to`, and every broker names it."""
        self._office.move(to)

    def forget_migration(self) -> None:
        """Let brokers elect a controller again, whatever KRaft's controllers have copied (KIP-866).

        For a migration that is taken back, when those have ended. Returns when every broker has
        heard from the one that is elected: one that has not, and is asked to stop, waits five
        minutes for the controllers that are gone (KafkaServer of 3.9.1).
        """
        self._office.end_term()
        self._znodes.delete(MIGRATION)
        self._office.await_heard()

    def _request(self, node: str, content: Any) -> None:
        """Leave a request for the controller, after it has taken the one before."""
        wait_until(lambda: not self._znodes.exists(node), f"the controller to clear {node}")
        self._znodes.write(node, content)


def _node(topic: str) -> str:
    return f"/brokers/topics/{topic}"


def _state(
    where: TopicPartition, state: Mapping[str, Any], assigned: Mapping[str, Any]
) -> PartitionState:
    return PartitionState(
        leader=state["leader"],
        leader_epoch=state["leader_epoch"],
        isr=tuple(sorted(state["isr"])),
        replicas=tuple(assigned["partitions"][str(where.partition)]),
        topic_id=_text(_topic_id(assigned)),
    )


def _topic_id(assigned: Mapping[str, Any]) -> uuid.UUID | None:
    written = assigned.get("topic_id")
    return None if written is None else uuid.UUID(bytes=urlsafe_b64decode(written + "=="))


def _text(topic_id: uuid.UUID | None) -> str | None:
    return None if topic_id is None else str(topic_id)
