"""Puts a cluster together on its site: ports, gates, configuration, nodes; nothing runs yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from highwater.harness import settings
from highwater.harness.cluster import ClusterSpec, Node
from highwater.harness.endings import Endings
from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.hub import Event
from highwater.harness.gate.upstream import Upstream
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER
from highwater.harness.jvm.storage import format_storage, new_cluster_id, storage_template
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.processes.ports import Ports
from highwater.harness.settings import CONTROLLER_ID, ZOOKEEPER_ID, BrokerPorts, Layout
from highwater.harness.sites import Program, Site


class Assembly:
    """A cluster's parts; whatever of them has a lifetime ends with `stack`."""

    def __init__(
        self,
        site: Site,
        spec: ClusterSpec,
        stack: Endings,
        on_gate_event: Callable[[Event], None],
    ) -> None:
        self.nodes: dict[int, Node] = {}
        self.probes: dict[int, ReplicaProbe] = {}
        self.site = stack.enter_context(site)
        self.spec = spec
        self.kafka = site.runtime.kafka
        self._stack = stack
        self._cluster_id = new_cluster_id()
        self._ports = stack.enter_context(Ports())
        self.brokers = tuple(range(1, spec.brokers + 1))
        self.layout = self._lay_out()
        self.gate: GateProcess  # there when the spec says `gated`
        if spec.gated:
            gate = GateProcess(on_event=on_gate_event, process_group=site.group)
            self.gate = stack.enter_context(gate)
        for broker in self.layout.brokers:
            self._open_gates(broker)
            self._add_broker(broker)
        self._add_metadata_node()

    def add_broker(self) -> int:
        """One more, of the next number; raises UsageError where the cluster is borrowed."""
        if self.site.holds_data:
            raise UsageError("a borrowed cluster has the brokers that it has: none can join it")
        broker = max(self.brokers) + 1
        layout = self.layout
        self.brokers = (*self.brokers, broker)
        self.layout = replace(
            layout,
            brokers={**layout.brokers, broker: self._broker_ports(broker)},
            hosts={**layout.hosts, broker: self.site.address(broker)},
        )
        self._open_gates(broker)
        self._add_broker(broker)
        if self.kafka.kraft:
            self._format([broker])
        return broker

    def wire(self, broker: int) -> Wire:
        """A connection to a broker's own listener, past the gate."""
        wire = Wire(self.layout.clients_at, self.layout.brokers[broker].client)
        self._stack.callback(wire.close)
        return wire

    def log_dir(self, node: int) -> Path:
        """Where this machine finds it."""
        return self.site.directory / self.layout.log_dir(node).relative_to(self.site.inside)

    def clock(self, node: int) -> Path:
        """The file that sets a node's wall clock, if it has a fake one."""
        return self.site.directory / f"clock-{node}"

    def _lay_out(self) -> Layout:
        extra = self.spec.quiet_replication_links and not self.kafka.kraft
        named = (*self.brokers, *((CONTROLLER_ID,) if extra else ()))
        return Layout(
            directory=self.site.inside,
            kafka=self.kafka,
            brokers={each: self._broker_ports(each) for each in named},
            metadata_port=next(iter(self.site.ports(self._metadata_node)), 0) or self._ports.free(),
            hosts={each: self.site.address(each) for each in (*named, ZOOKEEPER_ID, CONTROLLER_ID)},
            clients_at=self.site.clients_at,
            gate_at=self.site.gate_at,
            settings=self.spec.settings,
        )

    def _broker_ports(self, broker: int) -> BrokerPorts:
        client, replication = self._listeners(broker)
        named = self.kafka.has_named_listeners
        return BrokerPorts(
            client=client,
            replication=replication,
            gate=self._ports.free() if self.spec.gated else None,
            client_gate=self._ports.free() if self.spec.gated_clients and named else None,
            metadata_gate=self._ports.free() if self.spec.gated_metadata else None,
        )

    def _listeners(self, broker: int) -> tuple[int, int]:
        """The client's and the replication listener's ports; one where there is one listener."""
        given = self.site.ports(broker)
        if given:
            return given[0], given[-1]
        first = self.spec.first_port
        wanted = first is not None and broker in self.brokers
        client = self._ports.exactly((first or 0) + broker - 1) if wanted else self._ports.free()
        return client, self._ports.free() if self.kafka.has_named_listeners else client

    @property
    def _metadata_node(self) -> int:
        return CONTROLLER_ID if self.kafka.kraft else ZOOKEEPER_ID

    def _open_gates(self, broker: int) -> None:
        # By its published ports: on these a node that is down refuses at once, wherever it runs.
        host, ports = self.layout.clients_at, self.layout.brokers[broker]
        if ports.gate is not None:
            behind = Upstream(broker, host, ports.replication)
            self.gate.listen(behind, ports.gate, host=self.site.gate_at)
        if ports.client_gate is not None:
            behind = Upstream(broker, host, ports.client)
            self.gate.listen(behind, ports.client_gate, host=self.site.clients_at)
        if ports.metadata_gate is not None:
            node, foreign = self.layout.metadata_node, not self.kafka.kraft
            behind = Upstream(node, host, self.layout.metadata_port, broker, foreign)
            self.gate.listen(behind, ports.metadata_gate, host=self.site.gate_at)

    def _add_broker(self, broker: int) -> None:
        written = {
            **settings.broker_settings(self.layout, broker, self.spec.brokers),
            **self.spec.broker_settings.get(broker, {}),
        }
        ports = self.layout.brokers[broker]
        published = tuple({ports.client, ports.replication})
        self._add_node(broker, f"broker-{broker}", BROKER, written, published)
        self.probes[broker] = ReplicaProbe(self.kafka, self.wire(broker))

    def _add_metadata_node(self) -> None:
        published = (self.layout.metadata_port,)
        if not self.kafka.kraft:
            written = settings.zookeeper_settings(self.layout)
            self._add_node(ZOOKEEPER_ID, "zookeeper", ZOOKEEPER, written, published)
            return
        written = settings.controller_settings(self.layout)
        self._add_node(CONTROLLER_ID, f"controller-{CONTROLLER_ID}", BROKER, written, published)
        if self.site.holds_data:
            return
        self._format((*self.brokers, CONTROLLER_ID))

    def _format(self, nodes: Iterable[int]) -> None:
        template = storage_template(self.site.runtime, self.spec.features)
        for node in nodes:
            format_storage(template, self.log_dir(node), node, self._cluster_id)

    def _add_node(
        self,
        number: int,
        name: str,
        main: str,
        written: Mapping[str, str],
        published: Sequence[int],
    ) -> None:
        path: Path = self.site.directory / f"{name}.properties"
        settings.write_properties(path, written)
        program = Program(
            number=number,
            name=name,
            main=main,
            properties=path,
            published=published,
            clock=self.clock(number) if self.spec.fake_clock else None,
            obeys_file_modes=self.spec.obeys_file_modes,
        )
        self.nodes[number] = self.site.node(program)
