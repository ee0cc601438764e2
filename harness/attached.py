"""A cluster that somebody else runs, given by bootstrap servers: an endpoint, and perhaps hooks."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Never

from highwater.harness.addresses import addresses, written
from highwater.harness.cluster import EVIDENCE, FILES, LINKS, NODES, ClusterSpec, lacking
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.gate.metadata import KnownBroker
from highwater.harness.hooks import HookedNodes, Hooks
from highwater.harness.lifetime import Lifetime
from highwater.harness.metadata.controlled import ControlledMetadata
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.security import Security, secured
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import Kafka

OLDEST = "2.8"  # whose answers to who creates topics we read: they have the topics' ids
ADMIN_TIMEOUT_S = 15.0  # for a change, which waits for the controller
OUT_OF_REACH = "the cluster is attached by its bootstrap servers, and its files are out of reach"


class AttachedCluster(Lifetime):
    """Brokers that are asked what any client may ask; nothing of them ends with the context.

    With `hooks` they can be taken down, and are brought back.
    """

    keeps_data = True

    def __init__(
        self,
        kafka: Kafka,
        bootstrap: str,
        security: Security | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        """Raises UsageError for a Kafka before OLDEST, and for addresses that are none."""
        super().__init__()
        self.has = hooks.has if hooks else frozenset()
        self._security = security
        self._hooks = hooks
        if not (kafka.kraft or kafka.at_least(OLDEST)):
            raise UsageError(
                f"Kafka {kafka.name} cannot be attached by bootstrap servers, {OLDEST} and newer "
                "can; attach a compose project instead"
            )
        self.kafka = kafka
        self.bootstrap = self.client_bootstrap = bootstrap
        self.spec = ClusterSpec(quiet_replication_links=False, gated=False)
        self._servers = addresses(bootstrap)
        self._brokers: Mapping[int, KnownBroker] = {}
        self._probes: dict[int, ReplicaProbe] = {}
        self._hooked: HookedNodes | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """What there is of it, and what cannot be, for run.json."""
        unrecorded = dict.fromkeys(EVIDENCE[FILES], OUT_OF_REACH)
        return {"bootstrap": self.bootstrap, "voters": None, "unrecorded": unrecorded}

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(self._brokers)

    @property
    def coordinators(self) -> tuple[int, ...]:
        return self.brokers

    @property
    def nodes(self) -> HookedNodes:
        if self._hooked is None:
            raise _missing(NODES, self.has)
        return self._hooked

    @property
    def gate(self) -> Never:
        raise _missing(LINKS, self.has)

    @property
    def files(self) -> Never:
        raise _missing(FILES, self.has)

    def address(self, broker: int) -> str:
        return written(self._brokers[broker].host, self._brokers[broker].port)

    def probe(self, broker: int) -> ReplicaProbe:
        return self._probes[broker]

    def _begin(self) -> None:
        self._ending.enter_context(secured(self._servers, self._security))
        known = sorted(self._known(), key=lambda each: each.broker_id)
        places = {each.broker_id: (each.host, each.port) for each in known}
        self._ending.enter_context(secured(places.values(), self._security))
        self._brokers = {each.broker_id: each for each in known}
        self._probes = {each.broker_id: self._probe_at(each.host, each.port) for each in known}
        wires = {each.broker_id: self._wire(each.host, each.port) for each in known}
        made = KRaftMetadata if self.kafka.kraft else ControlledMetadata
        self.metadata = made(wires, self._probes)
        self._ending.callback(self.metadata.close)
        if self._hooks is not None and self._hooks.has:
            asked = self._answers, self._lets_in
            self._hooked = HookedNodes(self.kafka, self._hooks, places, *asked)
            self._ending.callback(self._hooked.give_back)

    def _answers(self, broker: int) -> bool:
        """Whether a broker answers, and the controller counts on it."""
        try:
            self._probes[broker].metadata()
            return broker in self.metadata.registered()
        except (OSError, ValueError, LookupError, struct.error):
            return False

    def _lets_in(self, broker: int) -> bool:
        """Whether it may be started: ZooKeeper turns away who is registered, KRaft has him wait."""
        if self.kafka.kraft or self._answers(broker):  # or somebody has started it already
            return True
        return broker not in self.metadata.registered()

    def _known(self) -> tuple[KnownBroker, ...]:
        """All brokers, as the first server tells; raises InfrastructureError when none does."""
        silent = []
        for host, port in self._servers:
            probe = self._probe_at(host, port)
            try:
                return probe.metadata().brokers
            except (OSError, ValueError, struct.error) as error:  # or it is no Kafka at all
                silent.append(f"{written(host, port)}: {error}")
        raise InfrastructureError(
            f"no bootstrap server answers as a Kafka {self.kafka.name} does, {self._spoken}: "
            f"{'; '.join(silent)}"
        )

    @property
    def _spoken(self) -> str:
        security = self._security
        if security is None:
            return "without encryption and passwords (--kafka-attach-config)"
        return f"by {security.protocol}" + (f" as {security.username}" if security.username else "")

    def _probe_at(self, host: str, port: int) -> ReplicaProbe:
        probe = ReplicaProbe(self.kafka, Wire(host, port))
        self._ending.callback(probe.close)
        return probe

    def _wire(self, host: str, port: int) -> Wire:
        wire = Wire(host, port, ADMIN_TIMEOUT_S)
        self._ending.callback(wire.close)
        return wire


def _missing(needed: str, has: frozenset[str]) -> UsageError:
    return UsageError(lacking("what is to be done", needed, has))
