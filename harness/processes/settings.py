"""The properties files of a cluster's nodes.

Everything here only shortens waiting or keeps chance out; none of it weakens a guarantee. What a
scenario needs of its own comes on top, and is written into the run's record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from highwater.harness.processes.ports import HOST
from highwater.harness.versions.catalogue import Kafka

CONTROLLER_ID = 100  # of the KRaft controller; in ZooKeeper mode a broker without replicas

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

KRAFT = {
    "broker.heartbeat.interval.ms": "500",
    "broker.session.timeout.ms": "3000",
}


@dataclass(frozen=True, slots=True)
class BrokerPorts:
    client: int
    replication: int  # where the broker listens for its peers
    gate: int  # where its peers think that it listens
    client_gate: int | None = None  # where its clients do; None: where it listens for them


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where everything is: directories and ports of one cluster."""

    directory: Path
    kafka: Kafka
    brokers: Mapping[int, BrokerPorts]
    metadata_port: int  # ZooKeeper's, or the KRaft controller's
    settings: Mapping[str, str] = field(default_factory=dict)

    def log_dir(self, node: int) -> Path:
        return self.directory / f"data-{node}"


def broker_settings(layout: Layout, broker: int, replicas: int) -> dict[str, str]:
    """server.properties of one broker; `replicas` is how many brokers hold data."""
    ports = layout.brokers[broker]
    factor = str(min(3, replicas))
    return {
        **SMALL,
        **STEADY,
        **(_two_listeners(ports) if layout.kafka.has_named_listeners else _one_listener(ports)),
        "log.dirs": str(layout.log_dir(broker)),
        "default.replication.factor": str(replicas),
        "offsets.topic.replication.factor": factor,
        "transaction.state.log.replication.factor": factor,
        **_membership(layout, broker),
        **layout.settings,
    }


def _two_listeners(ports: BrokerPorts) -> dict[str, str]:
    told = ports.client_gate or ports.client
    return {
        "listeners": f"CLIENT://{HOST}:{ports.client},REPL://{HOST}:{ports.replication}",
        "advertised.listeners": f"CLIENT://{HOST}:{told},REPL://{HOST}:{ports.gate}",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,REPL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "REPL",
    }


def _one_listener(ports: BrokerPorts) -> dict[str, str]:
    """Advertised at the gate, for everyone: clients have no replica id, and no rule means them."""
    return {
        "listeners": f"PLAINTEXT://{HOST}:{ports.client}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{ports.gate}",
    }


def _membership(layout: Layout, broker: int) -> dict[str, str]:
    if layout.kafka.kraft:
        return {
            **KRAFT,
            "node.id": str(broker),
            "process.roles": "broker",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"{CONTROLLER_ID}@{HOST}:{layout.metadata_port}",
        }
    return {
        "broker.id": str(broker),
        "zookeeper.connect": f"{HOST}:{layout.metadata_port}",
        "zookeeper.session.timeout.ms": "6000",
        "zookeeper.connection.timeout.ms": "30000",
    }


def controller_settings(layout: Layout) -> dict[str, str]:
    """server.properties of the KRaft controller."""
    listener = f"CONTROLLER://{HOST}:{layout.metadata_port}"
    return {
        **KRAFT,
        "node.id": str(CONTROLLER_ID),
        "process.roles": "controller",
        "listeners": listener,
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,REPL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.quorum.voters": f"{CONTROLLER_ID}@{HOST}:{layout.metadata_port}",
        "log.dirs": str(layout.log_dir(CONTROLLER_ID)),
        "min.insync.replicas": STEADY["min.insync.replicas"],
        "unclean.leader.election.enable": "false",
        "auto.leader.rebalance.enable": "false",
        **layout.settings,
    }


def zookeeper_settings(layout: Layout) -> dict[str, str]:
    """zoo.cfg of the single ZooKeeper server."""
    return {
        **ZOOKEEPER,
        "dataDir": str(layout.directory / "zookeeper-data"),
        "clientPort": str(layout.metadata_port),
        "clientPortAddress": HOST,
    }


def write_properties(path: Path, settings: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
