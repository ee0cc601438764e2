"""A cluster with the gate in front of every broker's inter-broker listener."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from highwater.harness.assembly import Assembly
from highwater.harness.cluster import LINKS, OF_OURS, ClusterSpec, Files, lacking
from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.lifetime import Lifetime
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.nodes import START_TIMEOUT_S, SiteNodes
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import TIMEOUT_S
from highwater.harness.settings import CONTROLLER_ID
from highwater.harness.sites import Site
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.wait import wait_until

ELECTION_TIMEOUT_S = 15.0


class KafkaCluster(Lifetime):
    """Brokers, their metadata store and their gate, on any site; all end with the context."""

    def __init__(self, site: Site, spec: ClusterSpec) -> None:
        super().__init__()
        self.site = site
        self.spec = spec
        self.has = OF_OURS | ({LINKS} if spec.gated else frozenset())
        self.kafka: Kafka = site.runtime.kafka  # in the mode in which it is now
        self.metadata: ZooKeeperMetadata | KRaftMetadata
        self.nodes: SiteNodes
        self._parts: Assembly

    @property
    def identity(self) -> Mapping[str, Any]:
        """What it stands on, for run.json."""
        return {**self.site.identity, **({"combined": True} if self.spec.combined else {})}

    @property
    def keeps_data(self) -> bool:
        return self.site.holds_data

    @property
    def brokers(self) -> tuple[int, ...]:
        return self._parts.brokers

    @property
    def coordinators(self) -> tuple[int, ...]:
        """Whoever may have been given a replica of the offsets of groups, or of transactions."""
        return tuple(self._parts.layout.brokers)

    @property
    def files(self) -> Files:
        return self._parts

    @property
    def gate(self) -> GateProcess:
        if LINKS not in self.has:
            raise UsageError(lacking("what is to be done", LINKS, self.has))
        return self._parts.gate

    @property
    def bootstrap(self) -> str:
        """The brokers that hold data, past the gate: for whoever looks."""
        return ",".join(self.address(each) for each in self.brokers)

    @property
    def client_bootstrap(self) -> str:
        """For clients: some keep the connection that they began with, and ask there who leads."""
        return ",".join(self._parts.layout.gated_client_address(each) for each in self.brokers)

    def address(self, broker: int) -> str:
        """Where clients find this broker."""
        return self._parts.layout.client_address(broker)

    def gate_address(self, broker: int) -> str:
        """Where its peers find this broker."""
        return self._parts.layout.peer_address(broker)

    def probe(self, broker: int) -> ReplicaProbe:
        return self._parts.probes[broker]

    def _begin(self) -> None:
        parts = self._parts = Assembly(self.site, self.spec, self._ending)
        self.metadata = self._kraft(parts) if self.kafka.kraft else self._zookeeper(parts)
        self.nodes = SiteNodes(parts, self.metadata, self._moved)
        self._ending.callback(self.nodes.close)
        for voter in parts.voters:
            parts.nodes[voter].start()
        if isinstance(self.metadata, ZooKeeperMetadata):
            self._find_controller(self.metadata)
        for broker in (each for each in self.brokers if each not in parts.voters):
            parts.nodes[broker].start()
        for broker in self.brokers:
            self.nodes.await_serving(broker)
        if self.spec.quiet_replication_links:
            home = self.brokers[0] if self.kafka.kraft else CONTROLLER_ID
            policy = {"cleanup.policy": "compact", "min.insync.replicas": "1"}
            self._create_offsets_topic(home, policy)

    def _kraft(self, parts: Assembly) -> KRaftMetadata:
        # While another controller is elected a broker that is asked for a change is not silent.
        patience_s = TIMEOUT_S if self.spec.voters == 1 else ELECTION_TIMEOUT_S
        wires = {each: parts.wire(each, patience_s) for each in parts.brokers}
        metadata = KRaftMetadata(wires, parts.probes)
        self._ending.callback(metadata.close)
        return metadata

    def _moved(self, zookeeper: ZooKeeperMetadata) -> ZooKeeperMetadata | KRaftMetadata:
        """The metadata are kept in the other way, whichever it was."""
        self.kafka = self._parts.kafka
        self.metadata = self._kraft(self._parts) if self.kafka.kraft else zookeeper
        if isinstance(self.metadata, KRaftMetadata):
            self.metadata.beside = zookeeper
        return self.metadata

    def _zookeeper(self, parts: Assembly) -> ZooKeeperMetadata:
        layout = parts.layout
        at = [f"{layout.clients_at}:{ports.asked}" for ports in layout.voters.values()]
        return ZooKeeperMetadata(at, self._have_heard_from, layout.root, self._alone)

    def _find_controller(self, metadata: ZooKeeperMetadata) -> None:
        """Start the broker without replicas, if there is one, and wait until it has the office."""
        node = self._parts.nodes.get(CONTROLLER_ID)
        if node is not None:
            node.start()
        metadata.connect()
        self._ending.callback(metadata.close)
        if node is not None:
            wait_until(
                lambda: node.assert_running() and metadata.controller() == CONTROLLER_ID,
                "the controller's broker to become the controller",
                START_TIMEOUT_S,
            )

    def _create_offsets_topic(self, home: int, policy: Mapping[str, str]) -> None:
        topic = "__consumer_offsets"
        if not (self.site.holds_data and self.metadata.has_topic(topic)):
            partitions = int(self.spec.settings.get("offsets.topic.num.partitions", "1"))
            self.metadata.create_topic(topic, [[home]] * partitions, policy)

    @contextmanager
    def _alone(self, broker: int) -> Generator[None]:
        """All other brokers are frozen."""
        with ExitStack() as frozen:
            for each in {*self._parts.layout.brokers, CONTROLLER_ID} - {broker}:
                node = self._parts.nodes.get(each)
                if node is not None and node.running and not self.nodes.frozen(each):
                    frozen.callback(self.nodes.resume, each)
                    self.nodes.pause(each)
            yield

    def _have_heard_from(self, controller: int) -> bool:
        parts = self._parts
        return all(
            parts.probes[each].metadata().controller_id == controller
            for each in parts.layout.brokers
            if parts.nodes[each].running and not self.nodes.frozen(each)
        )
