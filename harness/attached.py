"""A cluster that somebody else runs, given by bootstrap servers: an endpoint and nothing else."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import Any, Never

from highwater.harness.cluster import FILES, LINKS, NODES, ClusterSpec, lacking
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.gate.metadata import KnownBroker
from highwater.harness.lifetime import Lifetime
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import Kafka

ADMIN_TIMEOUT_S = 15.0  # for a change, which waits for the controller
OUT_OF_REACH = "the cluster is attached by its bootstrap servers, and its files are out of reach"
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]+(%[\w.-]+)?\]")
PORT = re.compile(r"[0-9]{1,5}")


def addresses(bootstrap: str) -> list[tuple[str, int]]:
    """Hosts and ports of bootstrap servers; raises UsageError for what names none."""
    found = []
    for each in bootstrap.split(","):
        host, _, port = each.strip().rpartition(":")
        if not HOST.fullmatch(host) or not PORT.fullmatch(port) or not 0 < int(port) < 1 << 16:
            raise UsageError(
                f"expected bootstrap servers as HOST:PORT,HOST:PORT, saw {bootstrap!r:.120}, of "
                f"which {each.strip()!r:.60} is none"
            )
        found.append((host.strip("[]"), int(port)))
    return found


class AttachedCluster(Lifetime):
    """Brokers that are asked what any client may ask; nothing of them ends with the context."""

    has: frozenset[str] = frozenset()

    def __init__(self, kafka: Kafka, bootstrap: str) -> None:
        """Raises UsageError for a Kafka of ZooKeeper times, and for addresses that are none."""
        super().__init__()
        if not kafka.kraft:
            raise UsageError(
                f"Kafka {kafka.name} cannot be attached by bootstrap servers: without KRaft only "
                "the controller takes admin requests; attach a compose project instead"
            )
        self.kafka = kafka
        self.bootstrap = bootstrap
        self.spec = ClusterSpec(quiet_replication_links=False, gated=False)
        self._servers = addresses(bootstrap)
        self._brokers: Mapping[int, KnownBroker] = {}
        self._probes: dict[int, ReplicaProbe] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """What there is of it, and what cannot be, for run.json."""
        unrecorded = dict.fromkeys(("replica_logs", "epoch_checkpoints"), OUT_OF_REACH)
        return {"bootstrap": self.bootstrap, "voters": None, "unrecorded": unrecorded}

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(self._brokers)

    @property
    def nodes(self) -> Never:
        raise _missing(NODES)

    @property
    def gate(self) -> Never:
        raise _missing(LINKS)

    @property
    def files(self) -> Never:
        raise _missing(FILES)

    def address(self, broker: int) -> str:
        return f"{self._brokers[broker].host}:{self._brokers[broker].port}"

    def probe(self, broker: int) -> ReplicaProbe:
        return self._probes[broker]

    def _begin(self) -> None:
        known = sorted(self._known(), key=lambda each: each.broker_id)
        self._brokers = {each.broker_id: each for each in known}
        self._probes = {each.broker_id: self._probe_at(each.host, each.port) for each in known}
        wires = {each.broker_id: self._wire(each.host, each.port) for each in known}
        self.metadata = KRaftMetadata(wires, self._probes)
        self._ending.callback(self.metadata.close)

    def _known(self) -> tuple[KnownBroker, ...]:
        """All brokers, as the first server tells; raises InfrastructureError when none does."""
        silent = []
        for host, port in self._servers:
            probe = self._probe_at(host, port)
            try:
                return probe.metadata().brokers
            except (OSError, ValueError, struct.error) as error:  # or it is no Kafka at all
                silent.append(f"{host}:{port}: {error}")
        raise InfrastructureError(
            f"no bootstrap server answers as a Kafka {self.kafka.name} does, without encryption "
            f"and passwords: {'; '.join(silent)}"
        )

    def _probe_at(self, host: str, port: int) -> ReplicaProbe:
        probe = ReplicaProbe(self.kafka, Wire(host, port))
        self._ending.callback(probe.close)
        return probe

    def _wire(self, host: str, port: int) -> Wire:
        wire = Wire(host, port, ADMIN_TIMEOUT_S)
        self._ending.callback(wire.close)
        return wire


def _missing(needed: str) -> UsageError:
    return UsageError(lacking("what is to be done", needed, AttachedCluster.has))
