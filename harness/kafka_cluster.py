"""A cluster with the gate in front of every broker's inter-broker listener."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from highwater.harness import settings
from highwater.harness.cluster import ClusterSpec
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.hub import Event
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER
from highwater.harness.jvm.storage import format_storage, new_cluster_id, storage_template
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.nodes import Node, Program, Site
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.processes.ports import Ports
from highwater.harness.settings import CONTROLLER_ID, ZOOKEEPER_ID, BrokerPorts, Layout
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.wait import wait_until

START_TIMEOUT_S = 90.0


class KafkaCluster:
    """Brokers, their metadata store and their gate, on any site; all end with the context."""

    def __init__(self, site: Site, spec: ClusterSpec) -> None:
        self.site = site
        self.spec = spec
        self.brokers = tuple(range(1, spec.brokers + 1))
        self.gate: GateProcess  # there when the spec says `gated`
        self.on_gate_event: Callable[[Event], None] = lambda _event: None
        self.on_broker_event: Callable[[int, str], None] = lambda _broker, _event: None
        self._stack = ExitStack()
        self._nodes: dict[int, Node] = {}
        self._probes: dict[int, ReplicaProbe] = {}

    @property
    def kafka(self) -> Kafka:
        return self.site.runtime.kafka

    @property
    def controller(self) -> int:
        """The node that has no replicas and shall be the controller."""
        return CONTROLLER_ID

    @property
    def nodes(self) -> tuple[int, ...]:
        """All with a server log: the brokers, and the controller where it is one of its own."""
        own = self.spec.directed or self.kafka.kraft
        return (*self.brokers, CONTROLLER_ID) if own else self.brokers

    @property
    def bootstrap(self) -> str:
        """For clients: the brokers that hold data."""
        return ",".join(self.address(each) for each in self.brokers)

    def __enter__(self) -> Self:
        try:
            self._assemble()
            self._start_all()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

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

    # -- topics

    def create_topic(
        self, topic: str, assignment: Sequence[int], settings: Mapping[str, str]
    ) -> None:
        """A topic of one partition; returns when its metadata is there."""
        self.metadata.create_topic(topic, assignment, settings)
        where = TopicPartition(topic)
        wait_until(lambda: self.metadata.partition(where).leader >= 0, f"{topic} to have a leader")
        topic_id = self.metadata.topic_id(topic)
        if topic_id is not None and self.spec.gated:  # Fetch v13 and newer name topics by id
            self.gate.topic_id(topic, topic_id)

    def partition_state(self, where: TopicPartition) -> PartitionState:
        return self.metadata.partition(where)

    def replica_state(self, broker: int, where: TopicPartition) -> ReplicaState:
        return self._probes[broker].state(broker, where)

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
        return self._layout.log_dir(broker)

    def server_log(self, broker: int) -> Path:
        return self._nodes[broker].log

    def properties(self, broker: int) -> Path:
        return self.site.directory / f"{self._nodes[broker].name}.properties"

    # -- putting it together

    def _assemble(self) -> None:
        self._ports = self._stack.enter_context(Ports())
        site = self._stack.enter_context(self.site)
        extra = self.spec.directed and not self.kafka.kraft
        named = (*self.brokers, *((CONTROLLER_ID,) if extra else ()))
        self._layout = Layout(
            directory=site.directory,
            kafka=self.kafka,
            brokers={each: self._broker_ports(each) for each in named},
            metadata_port=self._ports.free(),
            hosts={each: site.address(each) for each in (*named, ZOOKEEPER_ID, CONTROLLER_ID)},
            clients_at=site.clients_at,
            gate_at=site.gate_at,
            settings=self.spec.settings,
        )
        if self.spec.gated:
            gate = GateProcess(on_event=self._hear_gate, process_group=site.group)
            self.gate = self._stack.enter_context(gate)
        for broker in named:
            self._open_gates(broker)
            self._add_broker(broker)
        self._add_metadata()

    def _broker_ports(self, broker: int) -> BrokerPorts:
        first = self.spec.first_port
        wanted = first is not None and broker in self.brokers
        client = self._ports.exactly((first or 0) + broker - 1) if wanted else self._ports.free()
        replication = self._ports.free() if self.kafka.has_named_listeners else client
        gate = self._ports.free() if self.spec.gated else None
        clients = self.spec.gated_clients and self.kafka.has_named_listeners
        return BrokerPorts(client, replication, gate, self._ports.free() if clients else None)

    def _open_gates(self, broker: int) -> None:
        # By its published ports: on these a node that is down refuses at once, wherever it runs.
        host, ports = self._layout.clients_at, self._layout.brokers[broker]
        if ports.gate is not None:
            at = self.site.gate_at
            self.gate.listen(broker, host, ports.replication, port=ports.gate, host=at)
        if ports.client_gate is not None:
            at = self.site.clients_at
            self.gate.listen(broker, host, ports.client, port=ports.client_gate, host=at)

    def _add_broker(self, broker: int) -> None:
        written = {
            **settings.broker_settings(self._layout, broker, self.spec.brokers),
            **self.spec.broker_settings.get(broker, {}),
        }
        ports = self._layout.brokers[broker]
        published = {ports.client, ports.replication}
        self._add_node(broker, f"broker-{broker}", BROKER, written, tuple(published))
        self._probes[broker] = ReplicaProbe(self.kafka, self._wire(broker))

    def _wire(self, broker: int) -> Wire:
        wire = Wire(self._layout.clients_at, self._layout.brokers[broker].client)
        self._stack.callback(wire.close)
        return wire

    def _add_metadata(self) -> None:
        port = self._layout.metadata_port
        if not self.kafka.kraft:
            written = settings.zookeeper_settings(self._layout)
            self._add_node(ZOOKEEPER_ID, "zookeeper", ZOOKEEPER, written, (port,))
            self._zookeeper = ZooKeeperMetadata(
                f"{self._layout.clients_at}:{port}", self._have_heard_from
            )
            self.metadata: ZooKeeperMetadata | KRaftMetadata = self._zookeeper
            return
        written = settings.controller_settings(self._layout)
        self._add_node(CONTROLLER_ID, f"controller-{CONTROLLER_ID}", BROKER, written)
        cluster_id = new_cluster_id()
        template = storage_template(self.site.runtime, self.spec.features)
        for node in (*self.brokers, CONTROLLER_ID):
            format_storage(template, self._layout.log_dir(node), node, cluster_id)
        wires = {each: self._wire(each) for each in self.brokers}
        self.metadata = KRaftMetadata(wires, self._probes)

    def _add_node(
        self,
        number: int,
        name: str,
        main: str,
        written: Mapping[str, str],
        published: Sequence[int] = (),
    ) -> None:
        path = self.site.directory / f"{name}.properties"
        settings.write_properties(path, written)
        program = Program(number=number, name=name, main=main, properties=path, published=published)
        self._nodes[number] = self.site.node(program)

    def _start_all(self) -> None:
        if self.kafka.kraft:
            self._nodes[CONTROLLER_ID].start()
            self._await_all()
            return
        self._nodes[ZOOKEEPER_ID].start()
        if CONTROLLER_ID in self._nodes:
            self._nodes[CONTROLLER_ID].start()
        self._zookeeper.connect()
        self._stack.callback(self._zookeeper.close)
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
        if self.spec.directed:
            home = self.brokers[0] if self.kafka.kraft else CONTROLLER_ID
            policy = {"cleanup.policy": "compact", "min.insync.replicas": "1"}
            self.metadata.create_topic("__consumer_offsets", [home], policy)

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
