"""Metadata as ZooKeeper keeps it: the partition-state znode is authoritative and immediate.

Topics are created, reordered and elected by the znodes that Kafka's own tools of the time wrote,
which every release with ZooKeeper still watches; no tool's JVM has to start.
"""

from __future__ import annotations

import json
import logging
import socket
import uuid
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import (
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from highwater.harness.background import Background
from highwater.harness.errors import DeadlineError
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.patience import SLICE_S, left_s
from highwater.harness.wait import wait_until

REASSIGNMENTS = "/admin/reassign_partitions"
ELECTIONS = "/admin/preferred_replica_election"
CONTROLLER = "/controller"
CONNECT_TIMEOUT_S = 30
ANSWER_TIMEOUT_S = 2.0
CLOSE_TIMEOUT_S = 5.0
VACANT_S = 2.0
NOBODY = -1

logging.getLogger("kazoo").setLevel(logging.CRITICAL)


class ZooKeeperMetadata:
    """Reads and moves the metadata of a cluster whose ZooKeeper listens at `address`.

    `heard_from` says whether every running broker has heard from this controller.
    """

    def __init__(self, address: str, heard_from: Callable[[int], bool]) -> None:
        self._heard_from = heard_from
        retry = {"max_tries": -1, "delay": 0.05, "backoff": 1, "max_delay": 0.1}
        self._address = address
        self._client = KazooClient(address, timeout=30, connection_retry=retry)

    def connect(self) -> None:
        """Raises DeadlineError when ZooKeeper does not come up.

        It is asked for its mode first: a session opened while it is still starting hangs for the
        whole session timeout (seen with 3.5.9).
        """
        host, port = self._address.split(":")
        wait_until(lambda: _serves(host, int(port)), "ZooKeeper to serve", CONNECT_TIMEOUT_S)
        connected = self._client.start_async()
        wait_until(connected.is_set, "a session with ZooKeeper", CONNECT_TIMEOUT_S)

    def close(self) -> None:
        """Raises DeadlineError when the client does not end: ZooKeeper is frozen, perhaps."""
        closer = Background("zookeeper-close")
        ended = closer.submit(self._end)
        wait([ended], max(SLICE_S, left_s(CLOSE_TIMEOUT_S)))
        closer.close()
        if not ended.done():
            raise DeadlineError(f"waited {CLOSE_TIMEOUT_S} s for ZooKeeper's client to end")
        ended.result()

    def _end(self) -> None:
        self._client.stop()
        self._client.close()

    def registered(self) -> frozenset[int]:
        try:
            found = _answered(self._client.get_children_async("/brokers/ids"))
            return frozenset(int(each) for each in found)
        except NoNodeError:
            return frozenset()

    def controller(self) -> int | None:
        """The broker that holds the controller's znode."""
        found = self._read(CONTROLLER)
        return None if found is None else int(found["brokerid"])

    def create_topic(
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        """A topic whose partitions have these replicas, the preferred one of each first."""
        self._write(f"/config/topics/{topic}", {"version": 1, "config": dict(settings)})
        partitions = {str(number): list(each) for number, each in enumerate(assignments)}
        self._write(f"/brokers/topics/{topic}", {"version": 1, "partitions": partitions})

    def has_topic(self, topic: str) -> bool:
        return self._read(f"/brokers/topics/{topic}") is not None

    def topic_id(self, topic: str) -> uuid.UUID | None:
        """The id that the controller gave the topic, from 2.8 on."""
        return _topic_id(self._read(f"/brokers/topics/{topic}") or {})

    def delete_topic(self, topic: str) -> None:
        self._create(f"/admin/delete_topics/{topic}", b"")

    def partition(self, where: TopicPartition) -> PartitionState:
        """Raises LookupError while the controller has not decided yet."""
        node = f"/brokers/topics/{where.topic}"
        state = self._read(f"{node}/partitions/{where.partition}/state")
        assigned = self._read(node)
        if state is None or assigned is None:
            raise LookupError(f"ZooKeeper has no state for {where}")
        return PartitionState(
            leader=state["leader"],
            leader_epoch=state["leader_epoch"],
            isr=tuple(sorted(state["isr"])),
            replicas=tuple(assigned["partitions"][str(where.partition)]),
            topic_id=_text(_topic_id(assigned)),
        )

    def reorder(self, where: TopicPartition, replicas: Sequence[int]) -> None:
        """The same replicas in another order, so that another one is preferred.

        A controller that has just taken office clears the request away, read or not: then it is
        made again.
        """
        moved = {"topic": where.topic, "partition": where.partition, "replicas": list(replicas)}

        def reordered() -> bool:
            if self.partition(where).replicas == tuple(replicas):
                return True
            if not self._exists(REASSIGNMENTS):
                self._write(REASSIGNMENTS, {"version": 1, "partitions": [moved]})
            return False

        wait_until(
            reordered,
            f"the replicas of {where} to be assigned in the order {list(replicas)}",
        )

    def elect_preferred(self, where: TopicPartition) -> None:
        """Ask the controller to make the first replica the leader; does not wait for it."""
        named = {"topic": where.topic, "partition": where.partition}
        self._request(ELECTIONS, {"version": 1, "partitions": [named]})

    def end_session(self, broker: int) -> None:
        """End what is left of a dead broker's session, so that nobody has to wait for it.

        Exactly what ZooKeeper does when the session times out: its ephemeral znodes go.
        """
        self._delete(f"/brokers/ids/{broker}")
        if self.controller() == broker:
            self._delete(CONTROLLER)

    def fail_over_controller(self) -> int:
        """End the controller's term until another broker has the office; returns which one."""
        before = self.controller()
        wait_until(
            lambda: self._next_controller() not in {None, before},
            f"another controller than broker {before}",
            CONNECT_TIMEOUT_S,
        )
        after = self.controller()
        return -1 if after is None else after

    def move_controller(self, to: int) -> None:
        """End terms until chance gives the office to `to`."""
        wait_until(
            lambda: self.controller() == to or self._next_controller() == to,
            f"broker {to} to become the controller",
            CONNECT_TIMEOUT_S,
        )

    def _next_controller(self) -> int | None:
        """Delete the controller's znode, and return the controller that is elected then.

        Not before every broker has heard of the present one: a controller of 0.11.0.3 gets stuck
        when elections follow one another too quickly. Brokers that have all lost an election to one
        whose znode is gone since may wait for one another (seen with 2.8.2): a znode that is
        written and deleted triggers the controller election again.
        """
        wait_until(self._vacant_or_heard_from, "every broker to hear from the controller")
        self._delete(CONTROLLER)
        try:
            wait_until(lambda: self.controller() is not None, "a controller", VACANT_S)
        except DeadlineError:
            with suppress(FileExistsError):  # somebody has taken it after all
                self._write(CONTROLLER, {"version": 1, "brokerid": NOBODY, "timestamp": "0"})
                self._delete(CONTROLLER)
        return self.controller()

    def _vacant_or_heard_from(self) -> bool:
        """The controller is asked for each time.

        One that fails in its election hands the office on before anybody has heard from it (seen
        with 3.9.1).
        """
        now = self.controller()
        return now is None or self._heard_from(now)

    def _request(self, node: str, content: Any) -> None:
        """Leave a request for the controller, after it has taken the one before."""
        wait_until(lambda: not self._exists(node), f"the controller to clear {node}")
        self._write(node, content)

    def _read(self, node: str) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads(_answered(self._client.get_async(node))[0])
        except NoNodeError:
            return None
        return content

    def _exists(self, node: str) -> bool:
        return _answered(self._client.exists_async(node)) is not None

    def _write(self, node: str, content: Any) -> None:
        self._create(node, json.dumps(content).encode())

    def _create(self, node: str, content: bytes) -> None:
        """With the znodes above it; raises FileExistsError when it is there."""
        try:
            _answered(self._client.create_async(node, content, makepath=True))
        except NodeExistsError as error:
            raise FileExistsError(f"ZooKeeper has {node} already") from error

    def _delete(self, node: str) -> None:
        try:
            _answered(self._client.delete_async(node))
        except NoNodeError:
            return  # the session has just ended by itself


def _answered(question: Any) -> Any:
    """What ZooKeeper answers.

    Raises NoNodeError and NodeExistsError, TimeoutError when it does not answer (it may be down or
    frozen), and ConnectionError for what else it or its client refuses.
    """
    try:
        return question.get(timeout=left_s(ANSWER_TIMEOUT_S))
    except (NoNodeError, NodeExistsError):
        raise
    except (ConnectionLoss, SessionExpiredError, KazooTimeoutError) as error:
        raise TimeoutError(f"ZooKeeper does not answer: {error!r}") from error
    except KazooException as error:
        raise ConnectionError(f"ZooKeeper refuses: {error!r}") from error


def _serves(host: str, port: int) -> bool:
    """Whether the four-letter word `srvr` is answered with a mode."""
    with socket.create_connection((host, port), timeout=1) as connection:
        connection.sendall(b"srvr")
        return b"Mode:" in connection.makefile("rb").read()


def _topic_id(assigned: Mapping[str, Any]) -> uuid.UUID | None:
    written = assigned.get("topic_id")
    return None if written is None else uuid.UUID(bytes=urlsafe_b64decode(written + "=="))


def _text(topic_id: uuid.UUID | None) -> str | None:
    return None if topic_id is None else str(topic_id)
