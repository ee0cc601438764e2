"""A cluster with the gate in front of every broker's inter-broker listener."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from highwater.harness.assembly import Assembly
from highwater.harness.cluster import ClusterSpec, Node
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.hub import Event
from highwater.harness.lifetime import Lifetime
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.metadata.quorum import Quorum
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import TIMEOUT_S
from highwater.harness.settings import CONTROLLER_ID, Layout, voter_ids
from highwater.harness.sites import Site
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 90.0
ELECTION_TIMEOUT_S = 15.0


class KafkaCluster(Lifetime):
    """Brokers, their metadata store and their gate, on any site; all end with the context."""

    def __init__(self, site: Site, spec: ClusterSpec) -> None:
        super().__init__()
        self.site = site
        self.spec = spec
        self.brokers = tuple(range(1, spec.brokers + 1))
        self.gate: GateProcess  # there when the spec says `gated`
        self.on_gate_event: Callable[[Event], None] = lambda _event: None
        self.on_broker_event: Callable[[int, str], None] = lambda _broker, _event: None
        self._nodes: dict[int, Node] = {}
        self._probes: dict[int, ReplicaProbe] = {}
        self._layout: Layout

    @property
    def kafka(self) -> Kafka:
        return self.site.runtime.kafka

    @property
    def controller(self) -> int:
        """The node that has no replicas and shall be the controller."""
        return CONTROLLER_ID

    @property
    def nodes(self) -> tuple[int, ...]:
        """All with a server log: the brokers, and controllers that are nodes of their own."""
        if self.kafka.kraft:
            return (*self.brokers, *self.metadata_nodes)
        own = self.spec.quiet_replication_links
        return (*self.brokers, CONTROLLER_ID) if own else self.brokers

    @property
    def metadata_nodes(self) -> tuple[int, ...]:
        """The voters: ZooKeeper's servers, or KRaft's controllers."""
        return voter_ids(self.kafka, self.spec.voters)

    @property
    def bootstrap(self) -> str:
        """For clients: the brokers that hold data."""
        return ",".join(self.address(each) for each in self.brokers)

    def _begin(self) -> None:
        self._assemble()
        self._start_all()

    # -- brokers

    def start(self, broker: int) -> None:
        """Start a broker that has ended, with its old ports and directories."""
        self._nodes[broker].start()
        self.on_broker_event(broker, "started")

    def terminate(self, broker: int) -> None:
        self._nodes[broker].terminate()
        self.on_broker_event(broker, "terminated")

    def kill(self, broker: int) -> None:
        self._nodes[broker].kill()
        self.on_broker_event(broker, "killed")

    def pause(self, broker: int) -> None:
        self._nodes[broker].pause()
        self.on_broker_event(broker, "paused")

    def resume(self, broker: int) -> None:
        self._nodes[broker].resume()
        self.on_broker_event(broker, "resumed")

    def running(self, broker: int) -> bool:
        return self._nodes[broker].running

    def node(self, number: int) -> Node:
        """What a broker, controller or ZooKeeper runs as."""
        return self._nodes[number]

    def add_broker(self) -> int:
        """Start one more, of the next number, with nothing on it; it serves when this returns."""
        broker = self._parts.add_broker()
        self._layout = self._parts.layout
        if isinstance(self.metadata, KRaftMetadata):
            self.metadata.ask_also(broker, self._parts.wire(broker), self._probes[broker])
        self.brokers = (*self.brokers, broker)
        self.start(broker)
        self.await_serving(broker)
        return broker

    def remove_broker(self, broker: int) -> None:
        """Stop one, if it runs, and count on it no more: it does not come back."""
        self.brokers = tuple(each for each in self.brokers if each != broker)
        if self.running(broker):
            self.terminate(broker)

    def await_serving(self, broker: int) -> None:
        """Wait until a broker is registered and knows every live one; raises with its log's end."""
        node = self._nodes[broker]
        wait_until(
            lambda: (
                node.assert_running()
                and broker in self.metadata.registered()
                and self._knows_the_living(broker)
            ),
            f"broker {broker} of Kafka {self.kafka.name} to be registered and to serve",
            START_TIMEOUT_S,
            look=str(node.log),
        )
        self.on_broker_event(broker, "serving")

    def quorum_leader(self) -> int:
        """The voter that leads the others, or is the only one; raises NoLeaderError."""
        return self._quorum.leader() if self.spec.voters > 1 else self.metadata_nodes[0]

    # -- topics

    def create_topic(
        self, topic: str, assignments: Sequence[Sequence[int]], settings: Mapping[str, str]
    ) -> None:
        """A topic with these replicas of each partition; returns when its metadata is there."""
        self.metadata.create_topic(topic, assignments, settings)
        self._await_leaders([TopicPartition(topic, number) for number in range(len(assignments))])
        topic_id = self.metadata.topic_id(topic)
        if topic_id is not None and self.spec.gated:  # Fetch v13 and newer name topics by id
            self.gate.topic_id(topic, topic_id)

    def add_partitions(self, topic: str, first: int, assignments: Sequence[Sequence[int]]) -> None:
        """More partitions with these replicas, the first of them of this number; then all are led.

        Raises InfrastructureError for what a controller refuses.
        """
        self.metadata.add_partitions(topic, first, assignments)
        numbers = range(first, first + len(assignments))
        self._await_leaders([TopicPartition(topic, number) for number in numbers])

    def _await_leaders(self, wheres: Sequence[TopicPartition]) -> None:
        def all_are_led() -> bool:
            states = self.metadata.partitions(wheres)
            return all(where in states and states[where].leader >= 0 for where in wheres)

        wait_until(all_are_led, f"each partition of {wheres[0].topic} to have a leader")

    def partition_state(self, where: TopicPartition) -> PartitionState:
        return self.metadata.partition(where)

    def partition_states(
        self, wheres: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, PartitionState]:
        return self.metadata.partitions(wheres)

    def replica_states(self, broker: int, wheres: Sequence[TopicPartition]) -> list[ReplicaState]:
        return self._probes[broker].states(broker, wheres)

    # -- what can be looked at

    def address(self, broker: int) -> str:
        """Where clients find this broker."""
        return self._layout.client_address(broker)

    def probe(self, broker: int) -> ReplicaProbe:
        return self._probes[broker]

    def gate_address(self, broker: int) -> str:
        """Where its peers find this broker."""
        return self._layout.peer_address(broker)

    def log_dir(self, broker: int) -> Path:
        return self._parts.log_dir(broker)

    def clock(self, broker: int) -> Path:
        return self._parts.clock(broker)

    def server_log(self, broker: int) -> Path:
        return self._nodes[broker].log

    def properties(self, broker: int) -> Path:
        return self.site.directory / f"{self._nodes[broker].name}.properties"

    # -- putting it together

    def _assemble(self) -> None:
        parts = self._parts = Assembly(self.site, self.spec, self._ending, self._hear_gate)
        self._layout, self._nodes, self._probes = parts.layout, parts.nodes, parts.probes
        if self.spec.gated:
            self.gate = parts.gate
        self._quorum = Quorum({each: parts.leading(each) for each in self.metadata_nodes})
        self._ending.callback(self._quorum.close)
        if self.kafka.kraft:
            # While another controller is elected a broker that is asked for a change is not silent.
            patience_s = TIMEOUT_S if self.spec.voters == 1 else ELECTION_TIMEOUT_S
            wires = {each: parts.wire(each, patience_s) for each in self.brokers}
            self.metadata: ZooKeeperMetadata | KRaftMetadata = KRaftMetadata(wires, self._probes)
            self._ending.callback(self.metadata.close)
            return
        at = [f"{self._layout.clients_at}:{ports.asked}" for ports in self._layout.voters.values()]
        self.metadata = self._zookeeper = ZooKeeperMetadata(at, self._have_heard_from)

    def _start_all(self) -> None:
        for voter in self.metadata_nodes:
            self._nodes[voter].start()
        if self.kafka.kraft:
            self._await_all()
            return
        if CONTROLLER_ID in self._nodes:
            self._nodes[CONTROLLER_ID].start()
        self._zookeeper.connect()
        self._ending.callback(self._zookeeper.close)
        if CONTROLLER_ID in self._nodes:
            wait_until(
                lambda: (
                    self._nodes[CONTROLLER_ID].assert_running()
                    and self._zookeeper.controller() == CONTROLLER_ID
                ),
                "the controller's broker to become the controller",
                START_TIMEOUT_S,
            )
        self._await_all()

    def _await_all(self) -> None:
        for broker in self.brokers:
            self._nodes[broker].start()
        for broker in self.brokers:
            self.await_serving(broker)
        if self.spec.quiet_replication_links:
            home = self.brokers[0] if self.kafka.kraft else CONTROLLER_ID
            policy = {"cleanup.policy": "compact", "min.insync.replicas": "1"}
            self._create_offsets_topic(home, policy)

    def _create_offsets_topic(self, home: int, policy: Mapping[str, str]) -> None:
        topic = "__consumer_offsets"
        if not (self.site.holds_data and self.metadata.has_topic(topic)):
            self.metadata.create_topic(topic, [[home]], policy)

    def _hear_gate(self, event: Event) -> None:
        self.on_gate_event(event)

    def _have_heard_from(self, controller: int) -> bool:
        return all(
            self._probes[each].metadata().controller_id == controller
            for each in self._layout.brokers
            if self._nodes[each].running
        )

    def _knows_the_living(self, broker: int) -> bool:
        living = {each for each in self.brokers if self._nodes[each].running}
        known = {each.broker_id for each in self._probes[broker].metadata().brokers}
        return living <= known
