"""A compose file from the same topology that every cluster of ours has.

Ports, addresses and the cluster's id follow from what was asked for, so that the same question
gives the same file.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from highwater.compose.images import REPOSITORY
from highwater.compose.labels import KAFKA, NODE, PORTS
from highwater.harness import settings
from highwater.harness.jvm.runtime import BROKER, STORAGE_TOOL, ZOOKEEPER, java_line
from highwater.harness.processes.ports import HOST
from highwater.harness.settings import (
    CONTROLLER_ID,
    BrokerPorts,
    Layout,
    VoterPorts,
    voter_ids,
)
from highwater.harness.versions.catalogue import Kafka

STATE = Path("/highwater/state")  # as containers see it
LOGGING = Path("/highwater/logging")
FIRST_PORT = 19_092
PREFIX = "10.199.92"
FIRST_ADDRESS = 10
EXTRA_BROKER = 10  # how far the controller's broker stands behind the first one, in ports
REPLICATION, METADATA = 20, 19  # the same for these ports; further voters stand before the first
PEERS = (16, 15)  # of ZooKeeper servers, for followers and for elections


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """What a compose file describes."""

    kafka: Kafka
    brokers: int = 3
    voters: int = 1
    first_port: int = FIRST_PORT  # of the brokers' client listeners
    prefix: str = PREFIX  # of the network's addresses, three of their four numbers

    @property
    def name(self) -> str:
        """Of the project."""
        several = f"-{self.voters}-voters" if self.voters > 1 else ""
        return f"highwater-{self.kafka.name.replace('.', '-')}{several}"

    @property
    def command(self) -> str:
        """How to ask for it again."""
        words = [f"highwater compose {self.kafka.name} --brokers {self.brokers}"]
        words += [f"--voters {self.voters}"] if self.voters > 1 else []
        words += [f"--port {self.first_port}"] if self.first_port != FIRST_PORT else []
        words += [f"--subnet {self.prefix}.0/24"] if self.prefix != PREFIX else []
        return " ".join(words)

    def layout(self) -> Layout:
        """Where everything is, as containers see it."""
        numbers = range(1, self.brokers + 1)
        named = (*numbers, *(() if self.kafka.kraft else (CONTROLLER_ID,)))
        voters = voter_ids(self.kafka, self.voters)
        return Layout(
            directory=STATE,
            kafka=self.kafka,
            brokers={each: self._ports(each) for each in named},
            voters={each: self._voter_ports(place) for place, each in enumerate(voters)},
            hosts={each: f"{self.prefix}.{FIRST_ADDRESS + each}" for each in (*named, *voters)},
            clients_at=HOST,
            gate_at=HOST,
        )

    def _voter_ports(self, place: int) -> VoterPorts:
        """Each has an address of its own, and so the same ports for the others as the others."""
        has_peers = not self.kafka.kraft and self.voters > 1
        asked, peers = self.first_port + METADATA, (self.first_port + each for each in PEERS)
        return VoterPorts(asked - place, tuple(peers) if has_peers else ())

    def _ports(self, broker: int) -> BrokerPorts:
        offset = EXTRA_BROKER if broker == CONTROLLER_ID else broker - 1
        client = self.first_port + offset
        named = self.kafka.has_named_listeners
        return BrokerPorts(client, client + REPLICATION if named else client, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A service of the file."""

    number: int
    name: str
    address: str
    ports: tuple[int, ...]
    line: str
    properties: str
    data: Path
    format: bool
    myid: int | None  # of one of several ZooKeeper servers
    ready: str  # how the kernel's table of sockets says that it listens


def compose_file(topology: Topology) -> str:
    """The whole file."""
    layout = topology.layout()
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - YAML
    )
    clients = [layout.client_address(each) for each in range(1, topology.brokers + 1)]
    digest = hashlib.sha256(topology.command.encode()).digest()[:16]
    return environment.get_template("compose.yaml.j2").render(
        kafka=topology.kafka,
        brokers=topology.brokers,
        extra=_beside(topology),
        command=topology.command,
        name=topology.name,
        image=f"{REPOSITORY}:{topology.kafka.version}",
        state=STATE,
        host=HOST,
        prefix=topology.prefix,
        storage_tool=STORAGE_TOOL,
        cluster_id=base64.urlsafe_b64encode(digest).decode().rstrip("="),
        bootstrap=",".join(clients),
        nodes=[*_metadata(layout), *_brokers(layout, topology)],
        label_kafka=KAFKA,
        label_node=NODE,
        label_ports=PORTS,
    )


def _beside(topology: Topology) -> str:
    """What there is beside the brokers, in words."""
    several = f"{topology.voters} " if topology.voters > 1 else ""
    if topology.kafka.kraft:
        return f" and {several}controllers" if several else " and a controller"
    return f", one for the controller, {several}ZooKeeper{' servers' if several else ''}"


def _metadata(layout: Layout) -> list[_Node]:
    kraft = layout.kafka.kraft
    main = BROKER if kraft else ZOOKEEPER
    written = settings.controller_settings if kraft else settings.zookeeper_settings
    return [
        _node(layout, voter, layout.voter_name(voter), main, written(layout, voter))
        for voter in layout.voters
    ]


def _brokers(layout: Layout, topology: Topology) -> list[_Node]:
    return [
        _node(
            layout,
            broker,
            f"broker-{broker}",
            BROKER,
            settings.broker_settings(layout, broker, topology.brokers),
        )
        for broker in layout.brokers
    ]


def _node(layout: Layout, number: int, name: str, main: str, written: dict[str, str]) -> _Node:
    ports = layout.brokers.get(number)
    if ports is None:
        listening: tuple[int, ...] = (layout.voters[number].asked,)
    else:
        listening = (ports.client, ports.replication)
    has_peers = ports is None and bool(layout.voters[number].peers)
    return _Node(
        number=number,
        name=name,
        address=layout.hosts[number],
        ports=tuple(dict.fromkeys(listening)),
        line=shlex.join(java_line("java", LOGGING, "/highwater/libs/*", [main])),
        properties="".join(f"{key}={value}\n" for key, value in written.items()).rstrip(),
        data=layout.zookeeper_data(number) if has_peers else layout.log_dir(number),
        format=layout.kafka.kraft,
        myid=settings.own_number(layout, number) if has_peers else None,
        ready=f":{listening[0]:04X} 0*:0000 0A",
    )
