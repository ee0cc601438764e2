"""Asks which replicas are still on the move, once a second, and records it (KIP-455)."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from highwater.harness.cluster import Cluster
from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, in_words
from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.probes.reassignments import Key, Move, moves_under_way
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.record.writer import RunRecord
from highwater.harness.side_by_side import SideBySide

INTERVAL_S = 1.0
END_TIMEOUT_S = 10.0
DONE = Move((), ())


class MoveLooks(Lifetime):
    """Looks for as long as the context is open, from when there is a partition to ask about.

    Each broker is asked on a connection of its own, and not again before it has answered: first
    what it knows of the partition itself, and then what the controller says of the move. So what it
    knew is no newer than that answer. Who does not answer, or does not know the partition, gives no
    row.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__()
        self._cluster = cluster
        self._record = record
        self._wheres: tuple[TopicPartition, ...] = ()  # replaced, never changed
        self._has_begun = False
        self._lock = threading.Lock()
        self._asked = SideBySide("moves")
        self._wires: dict[int, Wire] = {}
        self._begun: dict[int, Future[None]] = {}
        self._complaints = Complaints("moves", lambda text: record.event("note", text))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="moves", daemon=True)

    def watch(self, where: TopicPartition) -> None:
        """Ask about this one from now on."""
        with self._lock:
            if where in self._wheres:
                return
            self._wheres = (*self._wheres, where)
            if not self._has_begun:
                self._has_begun = True
                self._thread.start()

    def forget(self, wheres: Sequence[TopicPartition]) -> None:
        """Ask about these no more: what is still answered of them may be of another topic."""
        with self._lock:
            self._wheres = tuple(each for each in self._wheres if each not in wheres)

    def _begin(self) -> None:
        self._ending.callback(self._end)

    def _end(self) -> None:
        """Raises what has ended it early."""
        self._stop.set()
        if self._has_begun:
            self._thread.join(END_TIMEOUT_S)
        for broker, begun in self._begun.items():
            begun.cancel()  # where it has not begun
            begun.add_done_callback(partial(self._close, broker))
        self._asked.close()
        self._complaints.close()
        if self._failure is not None:
            failed = in_words(self._failure)
            raise InfrastructureError(f"asking about moves ended early: {failed}") from (
                self._failure
            )

    def _close(self, broker: int, _done: Future[None]) -> None:
        if broker in self._wires:
            self._wires[broker].close()

    def _look(self) -> None:
        try:
            while not self._stop.wait(INTERVAL_S):
                # With ZooKeeper a broker hands nothing on to the controller.
                if self._wheres and self._cluster.kafka.kraft:
                    self._glance()
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _glance(self) -> None:
        """Ask whoever has answered before."""
        for broker in self._cluster.brokers:
            before = self._begun.get(broker)
            if before is None or before.done():
                begun = self._asked.begin(broker, partial(self._ask, broker, self._wheres))
                if begun is not None:
                    self._begun[broker] = begun

    def _ask(self, broker: int, wheres: tuple[TopicPartition, ...]) -> None:
        wire = self._wire(broker)
        probe = ReplicaProbe(self._cluster.kafka, wire)
        try:
            known = probe.metadata(*sorted({where.topic for where in wheres})).partitions
            moves = moves_under_way(wire, wheres)
        except (OSError, LookupError):
            return
        except (ValueError, struct.error) as error:
            self._complaints.add(f"an answer of broker {broker} cannot be read: {in_words(error)}")
            return
        at_ns = self._record.now_ns()
        of = {(each.topic, each.partition): each for each in known}
        for where in wheres:
            key: Key = where.topic, where.partition
            if key in of and where in self._wheres:  # else forgotten meanwhile
                row = _row(where, of[key], moves.get(key, DONE))
                self._record.row("reassignments", {"at_ns": at_ns, "broker": broker, **row})

    def _wire(self, broker: int) -> Wire:
        if broker not in self._wires:
            self._wires[broker] = Wire.at(self._cluster.address(broker))
        return self._wires[broker]


def _row(where: TopicPartition, known: KnownPartition, move: Move) -> dict[str, Any]:
    return {
        "topic": where.told_as,
        "partition": where.partition,
        "leader": known.leader,
        "isr": _listed(known.isr),
        "replicas": _listed(known.replicas),
        "adding": _listed(move.adding),
        "removing": _listed(move.removing),
    }


def _listed(brokers: tuple[int, ...]) -> str:
    return ",".join(map(str, sorted(brokers)))
