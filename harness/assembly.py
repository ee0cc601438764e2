"""Puts a cluster together on its site: ports, gates, configuration, nodes; nothing runs yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from highwater.harness import settings
from highwater.harness.cluster import ClusterSpec, Node
from highwater.harness.endings import Endings
from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.upstream import Upstream
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER, Runtime
from highwater.harness.jvm.storage import (
    cluster_of,
    format_storage,
    new_cluster_id,
    storage_template,
)
from highwater.harness.log_dirs import log_dirs
from highwater.harness.metadata.quorum import epoch_by_kraft, epoch_by_zookeeper
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import TIMEOUT_S, Wire
from highwater.harness.processes.ports import Ports
from highwater.harness.properties import write_properties
from highwater.harness.settings import CONTROLLER_ID, BrokerPorts, Layout, VoterPorts
from highwater.harness.sites import Program, Site, members_of
from highwater.harness.versions.catalogue import Kafka


class Assembly:
    """A cluster's parts, its files among them; what has a lifetime ends with `stack`."""

    def __init__(self, site: Site, spec: ClusterSpec, stack: Endings) -> None:
        self.nodes: dict[int, Node] = {}
        self.runs: dict[int, Kafka] = {}  # what each node is of
        self.probes: dict[int, ReplicaProbe] = {}
        self.kafka = site.runtime.kafka
        spec.require(self.kafka)
        self.site = stack.enter_context(site)
        self.spec = spec
        self._stack = stack
        self.programs: dict[int, tuple[Program, Mapping[str, str]]] = {}  # and their settings
        self._cluster_id = new_cluster_id()
        self._ports = stack.enter_context(Ports())
        self._members = site.members or members_of(self.kafka, spec)
        self.brokers, self.voters = tuple(self._members.brokers), tuple(self._members.voters)
        self.layout = self._lay_out()
        self.gate: GateProcess  # there when the spec says `gated`
        if spec.gated:
            self.gate = stack.enter_context(GateProcess(process_group=site.group))
        for broker in self.layout.brokers:
            self._open_gates(broker)
            self._add_broker(broker)
        self._own_voters = [each for each in self.voters if each not in self.brokers]
        for voter in self._own_voters:
            self._add_voter(voter)
        self._open_metadata_gates(self.layout.metadata_gates)
        for voter, port in self.layout.told_gates.items():
            behind = Upstream(voter, self.layout.clients_at, self.layout.voters[voter].asked)
            self.gate.listen(behind, port, host=self.site.gate_at)
        if self.kafka.kraft and not site.holds_data:
            self._format((*self.brokers, *self._own_voters))

    def add_broker(self) -> int:
        """One more, of the next number; raises UsageError where the cluster is borrowed."""
        if self.site.holds_data:
            raise UsageError("a borrowed cluster has the brokers that it has: none can join it")
        broker = max({*self.layout.brokers} - {CONTROLLER_ID}) + 1
        layout = self.layout
        self.brokers = (*self.brokers, broker)
        self.layout = replace(
            layout,
            brokers={**layout.brokers, broker: self._broker_ports(broker)},
            hosts={**layout.hosts, broker: self.site.address(broker)},
            metadata_gates={**layout.metadata_gates, **(links := self._metadata_gates([broker]))},
        )
        self._open_metadata_gates(links)
        self._open_gates(broker)
        self._add_broker(broker)
        if self.kafka.kraft:
            self._format([broker])
        return broker

    def put(self, number: int, runtime: Runtime, changed: Mapping[str, str]) -> None:
        """A node that has ended gets another binary; its data, its ports and its name stay.

        What its configuration says is `changed` as well.
        """
        _, written = self.programs[number]
        self.put_anew(number, runtime, {**written, **changed})

    def put_anew(self, number: int, runtime: Runtime, written: Mapping[str, str]) -> None:
        """The same with another configuration: nothing else that it was told is left."""
        program, _ = self.programs[number]
        self._put_node(replace(program, runtime=runtime), written)
        if number in self.probes:
            self.probes[number].now_asks(self.runs[number])

    def add_controller(
        self, layout: Layout, number: int, runtime: Runtime, written: Mapping[str, str]
    ) -> None:
        """One of a quorum that takes the metadata over from ZooKeeper; it has nothing yet."""
        published = (layout.voters[number].asked,)
        program = self._program(number, layout.voter_name(number), BROKER, published)
        self._put_node(replace(program, runtime=runtime), written)
        template = storage_template(runtime, self.spec.features)
        cluster_id = cluster_of(self.log_dir(self.brokers[0]))
        format_storage(template, self.log_dir(number), number, cluster_id)

    def lay_out_anew(self, layout: Layout) -> None:
        """From now on the voters of this layout have the metadata."""
        self.layout, self.kafka = layout, layout.kafka
        self.voters = tuple(layout.voters)
        self._own_voters = list(self.voters)

    def free_port(self) -> int:
        return self._ports.free()

    def wire(self, broker: int, timeout_s: float = TIMEOUT_S) -> Wire:
        """A connection to a broker's own listener, past the gate."""
        wire = Wire(self.layout.clients_at, self.layout.brokers[broker].client, timeout_s)
        self._stack.callback(wire.close)
        return wire

    def leading(self, voter: int) -> Callable[[], int | None]:
        """Asks a voter for the epoch in which it leads; None is the answer of one that does not."""
        host, port = self.layout.clients_at, self.layout.voters[voter].asked
        if not self.kafka.kraft:
            return partial(epoch_by_zookeeper, host, port)
        wire = Wire(host, port)
        self._stack.callback(wire.close)
        return partial(epoch_by_kraft, wire)

    @property
    def owners(self) -> tuple[int, ...]:
        """All with a server log: the brokers, and controllers that are nodes of their own."""
        voters = self._own_voters if self.kafka.kraft else ()
        office = ({CONTROLLER_ID} & self.nodes.keys()) - {*voters}
        return (*self.brokers, *office, *voters)

    def log_dir(self, node: int) -> Path:
        return self._outside(self.layout.log_dir(node))

    def server_log(self, node: int) -> Path:
        return self.nodes[node].log

    def properties(self, node: int) -> Path:
        return self._of(self.nodes[node].name)

    def _of(self, name: str) -> Path:
        return self.site.directory / f"{name}.properties"

    def _outside(self, place: Path) -> Path:
        """Where this machine finds what nodes see there."""
        return self.site.directory / place.relative_to(self.site.inside)

    def clock(self, node: int) -> Path:
        """The file that sets a node's wall clock, if it has a fake one."""
        return self.site.directory / f"clock-{node}"

    def _lay_out(self) -> Layout:
        extra = self.spec.quiet_replication_links and not self.kafka.kraft
        named = (*self.brokers, *((CONTROLLER_ID,) if extra else ()))
        peers = self.voters if self.kafka.kraft else ()
        return Layout(
            directory=self.site.inside,
            kafka=self.kafka,
            brokers={each: self._broker_ports(each) for each in named},
            voters={each: self._voter_ports(each) for each in self.voters},
            hosts={each: self.site.address(each) for each in (*named, *self.voters)},
            clients_at=self.site.clients_at,
            gate_at=self.site.gate_at,
            settings=self.spec.settings,
            metadata_gates=self._metadata_gates((*named, *peers)),
            told_gates={each: self._ports.free() for each in self._telling_voters()},
            root=self._members.root,
        )

    def _telling_voters(self) -> tuple[int, ...]:
        """Those whose word leads others past the ports of `metadata_gates`."""
        is_so = self.spec.gated_metadata and self.kafka.voters_tell_addresses
        return self.voters if is_so else ()

    def _metadata_gates(self, askers: Sequence[int]) -> dict[tuple[int, int], int]:
        """A port for each of these and a voter, where that has gates; KRaft's voters ask, too."""
        voters = self.voters if self.spec.gated_metadata else ()
        links = [(asker, voter) for asker in {*askers} for voter in voters if asker != voter]
        return {link: self._ports.free() for link in links}

    def _voter_ports(self, voter: int) -> VoterPorts:
        asked = next(iter(self.site.ports(voter)), 0) or self._ports.free()
        has_peers = not self.kafka.kraft and len(self.voters) > 1
        return VoterPorts(asked, (self._ports.free(), self._ports.free()) if has_peers else ())

    def _broker_ports(self, broker: int) -> BrokerPorts:
        client, replication = self._listeners(broker)
        named = self.kafka.has_named_listeners
        return BrokerPorts(
            client=client,
            replication=replication,
            gate=self._ports.free() if self.spec.gated else None,
            client_gate=self._ports.free() if self.spec.gated_clients and named else None,
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

    def _open_gates(self, broker: int) -> None:
        # By its published ports: on these a node that is down refuses at once, wherever it runs.
        host, ports = self.layout.clients_at, self.layout.brokers[broker]
        if ports.gate is not None:
            behind = Upstream(broker, host, ports.replication)
            self.gate.listen(behind, ports.gate, host=self.site.gate_at)
        if ports.client_gate is not None:
            behind = Upstream(broker, host, ports.client, clients=True)
            self.gate.listen(behind, ports.client_gate, host=self.site.clients_at)

    def _open_metadata_gates(self, links: Mapping[tuple[int, int], int]) -> None:
        host, foreign = self.layout.clients_at, not self.kafka.kraft
        for (asker, voter), port in links.items():
            behind = Upstream(voter, host, self.layout.voters[voter].asked, asker, foreign)
            self.gate.listen(behind, port, host=self.site.gate_at)

    def _add_broker(self, broker: int) -> None:
        two = self.spec.two_log_dirs
        written = {
            **self._members.brokers.get(broker, {}),
            **settings.broker_settings(self.layout, broker, self.spec.brokers),
            "log.dirs": ",".join(map(str, log_dirs(self.layout.log_dir(broker), two=two))),
            **self.spec.broker_settings.get(broker, {}),
        }
        ports = self.layout.brokers[broker]
        asked = [self.layout.voters[broker].asked] if broker in self.layout.voters else []
        published = tuple({ports.client, ports.replication, *asked})
        self._add_node(broker, f"broker-{broker}", BROKER, written, published)
        self.probes[broker] = ReplicaProbe(self.kafka, self.wire(broker))

    def _add_voter(self, voter: int) -> None:
        name, published = self.layout.voter_name(voter), (self.layout.voters[voter].asked,)
        if self.kafka.kraft:
            own = self._members.voters[voter]
            written = {**own, **settings.controller_settings(self.layout, voter)}
            self._add_node(voter, name, BROKER, written, published)
            return
        written = settings.zookeeper_settings(self.layout, voter)
        self._add_node(voter, name, ZOOKEEPER, written, published)
        if len(self.voters) > 1 and (not self.site.holds_data or self.site.members is not None):
            data = self._outside(self.layout.zookeeper_data(voter))
            data.mkdir(exist_ok=True)  # it may be a copy of somebody else's
            (data / "myid").write_text(str(settings.own_number(self.layout, voter)))

    def _format(self, nodes: Iterable[int]) -> None:
        template = storage_template(self.site.runtime, self.spec.features)
        two = self.spec.two_log_dirs
        for node in nodes:
            for each in log_dirs(self.log_dir(node), two=two and node in self.brokers):
                format_storage(template, each, node, self._cluster_id)

    def _add_node(
        self,
        number: int,
        name: str,
        main: str,
        written: Mapping[str, str],
        published: Sequence[int],
    ) -> None:
        self._put_node(self._program(number, name, main, published), written)

    def _program(self, number: int, name: str, main: str, published: Sequence[int]) -> Program:
        return Program(
            number=number,
            name=name,
            main=main,
            properties=self._of(name),
            published=published,
            clock=self.clock(number) if self.spec.fake_clock else None,
            obeys_file_modes=self.spec.obeys_file_modes,
            heap_mib=self.spec.heap_mib,
        )

    def _put_node(self, program: Program, written: Mapping[str, str]) -> None:
        number = program.number
        write_properties(program.properties, written)
        self.programs[number] = program, written
        self.runs[number] = (program.runtime or self.site.runtime).kafka
        self.nodes[number] = self.site.node(program)
