"""Asks which replicas are still on the move, once a second, and records it (KIP-455)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from highwater.harness.cluster import Cluster
from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.looks import Looks
from highwater.harness.model import TopicPartition
from highwater.harness.probes.reassignments import Key, Move, moves_under_way
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.record.writer import RunRecord

DONE = Move((), ())


class MoveLooks(Looks):
    """A broker is asked first what it knows of the partition itself, and then what the controller
    says of the move: what it knew is no newer than that answer. Who does not know the partition
    gives no row.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        super().__init__("moves", cluster, record)
        self._wheres: tuple[TopicPartition, ...] = ()  # replaced, never changed

    def watch(self, where: TopicPartition) -> None:
        """Ask about this one from now on."""
        with self._lock:
            if where not in self._wheres:
                self._wheres = (*self._wheres, where)
                self._look_from_now_on()

    def forget(self, wheres: Sequence[TopicPartition]) -> None:
        """Ask about these no more: what is still answered of them may be of another topic."""
        with self._lock:
            self._wheres = tuple(each for each in self._wheres if each not in wheres)

    def _whom(self) -> Iterable[int]:
        """With ZooKeeper a broker hands nothing on to the controller."""
        return self._cluster.brokers if self._wheres and self._cluster.kafka.kraft else ()

    def _ask(self, broker: int, wire: Wire) -> None:
        wheres = self._wheres
        probe = ReplicaProbe(self._cluster.kafka, wire)
        known = probe.metadata(*sorted({where.topic for where in wheres})).partitions
        moves = moves_under_way(wire, wheres)
        at_ns = self._record.now_ns()
        of = {(each.topic, each.partition): each for each in known}
        for where in wheres:
            key: Key = where.topic, where.partition
            if key in of and where in self._wheres:  # else forgotten meanwhile
                row = _row(where, of[key], moves.get(key, DONE))
                self._record.row("reassignments", {"at_ns": at_ns, "broker": broker, **row})


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
