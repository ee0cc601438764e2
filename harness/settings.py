"""The properties files of a cluster's nodes.

Everything here only shortens waiting or keeps chance out; none of it weakens a guarantee. What a
scenario needs of its own comes on top, and is written into the run's record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from highwater.harness.versions.catalogue import Kafka

ZOOKEEPER_ID = 0  # of the first, or only, ZooKeeper server
OTHER_ZOOKEEPERS = 200  # what the numbers of the others come after
CONTROLLER_ID = 100  # of the first KRaft controller; in ZooKeeper mode a broker without replicas

SMALL = {
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "2",
    "num.recovery.threads.per.data.dir": "1",
    "log.cleaner.dedupe.buffer.size": "2097152",  # the default of 128 MiB is a broker's memory
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
}

STEADY = {
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "auto.leader.rebalance.enable": "false",  # nobody moves leaders but the scenario
    "unclean.leader.election.enable": "false",
    "min.insync.replicas": "2",
    "num.partitions": "1",
    "num.replica.fetchers": "1",
    # A replica behind a hold stays in the ISR until the scenario is over.
    "replica.lag.time.max.ms": "60000",
    "replica.fetch.backoff.ms": "100",
    # High watermarks travel sooner than by default (500): harder on the bugs, shorter waits.
    "replica.fetch.wait.max.ms": "100",
    # Every fetch a full one (KIP-227), so that the gate can read each of them.
    "max.incremental.fetch.session.cache.slots": "0",
    # Never by itself: what the checkpoint holds is for the scenario to decide.
    "replica.high.watermark.checkpoint.interval.ms": "3600000",
    "controlled.shutdown.retry.backoff.ms": "100",
    "group.initial.rebalance.delay.ms": "0",
    "transaction.state.log.min.isr": "1",
}

ZOOKEEPER = {
    "tickTime": "500",
    "minSessionTimeout": "1000",
    "maxSessionTimeout": "60000",
    "maxClientCnxns": "0",
    "admin.enableServer": "false",
}

ENSEMBLE = {  # where ZooKeeper is several servers; in ticks
    "initLimit": "20",
    "syncLimit": "6",
}

KRAFT = {"broker.heartbeat.interval.ms": "500", "broker.session.timeout.ms": "3000"}

# Of the topic that has what share groups were given and acknowledged (KIP-932).
SHARES = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.min.isr": "1",
}

# Of several controllers: voters miss their leader after 2 s, and brokers find the next one as late.
SEVERAL = {
    # A session outlasts an election, or brokers that live are fenced by chance.
    "broker.session.timeout.ms": "6000",
    # So long a broker waits for a controller that is frozen, and then asks the next (30000).
    "controller.socket.timeout.ms": "3000",
}


@dataclass(frozen=True, slots=True)
class BrokerPorts:
    client: int
    replication: int  # where the broker listens for its peers
    gate: int | None  # where its peers think that it listens; None: without a gate
    client_gate: int | None = None  # where its clients do; None: where it listens for them


@dataclass(frozen=True, slots=True)
class VoterPorts:
    """Of a KRaft controller, or of a ZooKeeper server."""

    asked: int  # where brokers find it, and other controllers
    peers: tuple[int, ...] = ()  # of ZooKeeper's: for followers, and for elections


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where everything is: directories, addresses and ports of one cluster."""

    directory: Path  # as nodes see it
    kafka: Kafka
    brokers: Mapping[int, BrokerPorts]
    voters: Mapping[int, VoterPorts]  # KRaft controllers, or ZooKeeper servers
    hosts: Mapping[int, str]  # where each node listens
    clients_at: str  # the host that clients use
    gate_at: str  # the host that peers use where there is a gate
    settings: Mapping[str, str] = field(default_factory=dict)
    # The gate's ports in front of voters, by who asks there and who is asked.
    metadata_gates: Mapping[tuple[int, int], int] = field(default_factory=dict)
    # The gate's port in front of each voter that says itself where it is found (KIP-853).
    told_gates: Mapping[int, int] = field(default_factory=dict)
    root: str = ""  # the znode under which brokers keep the metadata

    def voter_address(self, voter: int, asker: int) -> str:
        """Where a node finds a voter, itself perhaps: at the gate, if it has a port there."""
        port = self.metadata_gates.get((asker, voter))
        if port is not None:
            return f"{self.gate_at}:{port}"
        return f"{self.hosts[voter]}:{self.voters[voter].asked}"

    def told_by(self, voter: int) -> str:
        """What a voter tells others of its own address, where that is another one: listeners."""
        port = self.told_gates.get(voter)
        return f"CONTROLLER://{self.gate_at}:{port}" if port is not None else ""

    def quorum_for(self, asker: int) -> str:
        """All voters, as a node is told them: controller.quorum.voters, or zookeeper.connect."""
        named = [f"{each}@" if self.kafka.kraft else "" for each in self.voters]
        found = [self.voter_address(each, asker) for each in self.voters]
        return ",".join(map("".join, zip(named, found, strict=True))) + self.root

    def client_address(self, broker: int) -> str:
        """Where clients find a broker, past the gate."""
        return f"{self.clients_at}:{self.brokers[broker].client}"

    def gated_client_address(self, broker: int) -> str:
        """Where a broker says that clients find it: at the gate, if theirs go through one."""
        ports = self.brokers[broker]
        return f"{self.clients_at}:{ports.client_gate or ports.client}"

    def peer_address(self, broker: int) -> str:
        """Where its peers find a broker: at the gate, if there is one."""
        ports = self.brokers[broker]
        if ports.gate is None:
            return f"{self.hosts[broker]}:{ports.replication}"
        return f"{self.gate_at}:{ports.gate}"

    def voter_name(self, voter: int) -> str:
        """How its files are called."""
        if self.kafka.kraft:
            return f"controller-{voter}"
        return zookeeper_name(voter)

    def log_dir(self, node: int) -> Path:
        return self.directory / f"data-{node}"

    def zookeeper_data(self, server: int) -> Path:
        return self.directory / f"{self.voter_name(server)}-data"


def zookeeper_name(server: int) -> str:
    """How the files of a ZooKeeper server are called."""
    return "zookeeper" if server == ZOOKEEPER_ID else f"zookeeper-{server}"


# What a cluster says for itself: where its brokers lie, who they are, and how they are reached.
FIXED = frozenset({
    "log.dirs", "log.dir", "broker.id", "node.id", "process.roles", "controller.listener.names",
    "controller.quorum.voters", "zookeeper.connect", "listeners", "advertised.listeners",
    "listener.security.protocol.map", "inter.broker.listener.name",
})  # fmt: skip


def broker_settings(layout: Layout, broker: int, replicas: int) -> dict[str, str]:
    """server.properties of one broker; `replicas` is how many brokers hold data."""
    factor = str(min(3, replicas))
    listeners = _two_listeners if layout.kafka.has_named_listeners else _one_listener
    return {
        **SMALL,
        **STEADY,
        **listeners(layout, broker),
        "log.dirs": str(layout.log_dir(broker)),
        "default.replication.factor": str(replicas),
        "offsets.topic.replication.factor": factor,
        "transaction.state.log.replication.factor": factor,
        **_membership(layout, broker),
        **(_shares(factor) if layout.kafka.knows_share_groups else {}),
        **layout.settings,
    }


def _shares(factor: str) -> dict[str, str]:
    return {**SHARES, "share.coordinator.state.topic.replication.factor": factor}


def _two_listeners(layout: Layout, broker: int) -> dict[str, str]:
    ports, host = layout.brokers[broker], layout.hosts[broker]
    peers = layout.peer_address(broker)
    own = [f"CLIENT://{host}:{ports.client}", f"REPL://{host}:{ports.replication}"]
    if broker in layout.voters:
        own.append(f"CONTROLLER://{layout.voter_address(broker, broker)}")
    at = [
        f"CLIENT://{layout.gated_client_address(broker)}",
        f"REPL://{peers}",
        layout.told_by(broker),
    ]
    return {
        "listeners": ",".join(own),
        "advertised.listeners": ",".join(filter(None, at)),
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,REPL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "REPL",
    }


def _one_listener(layout: Layout, broker: int) -> dict[str, str]:
    """Advertised at the gate, for everyone: clients have no replica id, and no rule means them."""
    return {
        "listeners": f"PLAINTEXT://{layout.hosts[broker]}:{layout.brokers[broker].client}",
        "advertised.listeners": f"PLAINTEXT://{layout.peer_address(broker)}",
    }


def _membership(layout: Layout, broker: int) -> dict[str, str]:
    if layout.kafka.kraft:
        return {
            **sessions(layout),
            "node.id": str(broker),
            "process.roles": "broker,controller" if broker in layout.voters else "broker",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": layout.quorum_for(broker),
        }
    return {
        "broker.id": str(broker),
        "zookeeper.connect": layout.quorum_for(broker),
        "zookeeper.session.timeout.ms": "6000",
        "zookeeper.connection.timeout.ms": "30000",
    }


def sessions(layout: Layout) -> dict[str, str]:
    """How soon a KRaft controller misses a broker, for both of them."""
    return KRAFT | (SEVERAL if len(layout.voters) > 1 else {})


def controller_settings(layout: Layout, controller: int = CONTROLLER_ID) -> dict[str, str]:
    """server.properties of a KRaft controller."""
    told = layout.told_by(controller)
    return {
        **({"advertised.listeners": told} if told else {}),
        **sessions(layout),
        "node.id": str(controller),
        "process.roles": "controller",
        "listeners": f"CONTROLLER://{layout.voter_address(controller, controller)}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,REPL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.quorum.voters": layout.quorum_for(controller),
        "log.dirs": str(layout.log_dir(controller)),
        "min.insync.replicas": STEADY["min.insync.replicas"],
        "unclean.leader.election.enable": "false",
        "auto.leader.rebalance.enable": "false",
        **layout.settings,
    }


def zookeeper_settings(layout: Layout, server: int = ZOOKEEPER_ID) -> dict[str, str]:
    """zoo.cfg of a ZooKeeper server; one of several finds its own number in `myid`."""
    several = len(layout.voters) > 1
    return {
        **ZOOKEEPER,
        "dataDir": str(layout.zookeeper_data(server)),
        "clientPort": str(layout.voters[server].asked),
        "clientPortAddress": layout.hosts[server],
        **(ENSEMBLE | _ensemble(layout) if several else {}),
    }


def _ensemble(layout: Layout) -> dict[str, str]:
    return {
        f"server.{own_number(layout, server)}": ":".join(
            map(str, (layout.hosts[server], *ports.peers))
        )
        for server, ports in layout.voters.items()
    }


def own_number(layout: Layout, server: int) -> int:
    """What a ZooKeeper server calls itself: from 1 on, for above 127 its session ids are wrong."""
    return list(layout.voters).index(server) + 1


def voter_ids(kafka: Kafka, voters: int, *, combined: bool = False) -> tuple[int, ...]:
    """The nodes that keep the metadata: KRaft controllers or ZooKeeper servers, or brokers."""
    if combined:
        return tuple(range(1, voters + 1))
    if kafka.kraft:
        return tuple(range(CONTROLLER_ID, CONTROLLER_ID + voters))
    return (ZOOKEEPER_ID, *range(OTHER_ZOOKEEPERS + 1, OTHER_ZOOKEEPERS + voters))
