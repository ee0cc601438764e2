"""`up`: a cluster to play with."""

from __future__ import annotations

import threading

from highwater import console
from highwater.fetching import runtime_with_progress
from highwater.harness.processes.archive import ensure_archive
from highwater.harness.processes.cluster import ClusterSpec, ProcessCluster
from highwater.harness.versions.catalogue import find_kafka
from highwater.workshop import workshop


def up(version: str, brokers: int, port: int | None, *, offline: bool) -> None:
    """Start a cluster and keep it until the user interrupts."""
    kafka = find_kafka(version)
    runtime = runtime_with_progress(kafka, offline=offline)
    spec = ClusterSpec(brokers=brokers, first_port=port, directed=False)
    with workshop() as place:
        with console.err.status(f"starting Kafka {kafka.name}"):
            ensure_archive(runtime)
        with ProcessCluster(runtime, spec, place / "cluster") as cluster:
            console.out.print(f"Kafka {kafka.name} ({kafka.mode}), {brokers} brokers")
            console.out.print(f"  bootstrap.servers={cluster.bootstrap}", soft_wrap=True)
            for broker in cluster.brokers:
                console.out.print(
                    f"  broker {broker}: {cluster.address(broker)}, "
                    f"peers reach it through the gate at {cluster.gate_address(broker)}, "
                    f"log {cluster.server_log(broker)}",
                    soft_wrap=True,
                )
            console.out.print("Ctrl-C ends it.")
            threading.Event().wait()
