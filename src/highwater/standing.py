"""`up`: a cluster to play with."""

from __future__ import annotations

import threading
from typing import Any

from highwater import console
from highwater.adopting import kafka_named
from highwater.backends import Backend, make_site
from highwater.fetching import runtime_with_progress
from highwater.harness.cluster import ClusterSpec
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.workshop import workshop


def spec_of(brokers: int, voters: int, port: int | None) -> ClusterSpec:
    """Of a cluster to play with; raises UsageError for what no cluster can have."""
    return ClusterSpec(
        brokers=brokers, voters=voters, first_port=port, quiet_replication_links=False
    )


def up(version: str, spec: ClusterSpec, backend: Backend, *, offline: bool, as_json: bool) -> None:
    """Start a cluster and keep it until the user interrupts."""
    kafka = kafka_named(version, offline=offline)
    runtime = runtime_with_progress(kafka, offline=offline)
    with workshop() as place:
        with console.err.status(f"Kafka {kafka.name}: class archive"):
            site = make_site(backend, runtime, place / "cluster", lambda _text: None)
        with KafkaCluster(site, spec) as cluster:
            if as_json:
                console.print_json(_described(cluster))
            else:
                _tell(cluster)
            threading.Event().wait()


def _described(cluster: KafkaCluster) -> dict[str, Any]:
    return {
        "kafka": cluster.kafka.name,
        "metadata": cluster.kafka.mode,
        "bootstrap.servers": cluster.bootstrap,
        "brokers": [
            {
                "broker": broker,
                "address": cluster.address(broker),
                "gate": cluster.gate_address(broker),
                "log": str(cluster.files.server_log(broker)),
            }
            for broker in cluster.brokers
        ],
    }


def _tell(cluster: KafkaCluster) -> None:
    described = _described(cluster)
    console.out.print(f"Kafka {described['kafka']} ({described['metadata']})")
    console.out.print(f"  bootstrap.servers={described['bootstrap.servers']}", soft_wrap=True)
    for one in described["brokers"]:
        console.out.print(
            f"  broker {one['broker']}: {one['address']}, peers reach it through the gate at "
            f"{one['gate']}, log {one['log']}",
            soft_wrap=True,
        )
    console.out.print("Ctrl-C ends it.")
