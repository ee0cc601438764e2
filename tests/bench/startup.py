"""How long until three brokers serve, and how much memory they take, per Kafka.

"plain" is what a careful script does: the same small settings, Serial GC, C1, a class archive, a
384 MiB heap, no gate, no controller of its own. "ours" is a whole cluster as scenarios get it,
"cold" the same without the class archive.
"""

from __future__ import annotations

import itertools
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.bench.effort import Effort, on_each

from highwater.harness import settings
from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import BROKER, ZOOKEEPER, Runtime, sharing
from highwater.harness.jvm.storage import format_storage, new_cluster_id, storage_template
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.wire import Wire
from highwater.harness.processes.ports import HOST, Ports
from highwater.harness.processes.site import ProcessSite
from highwater.harness.processes.warden import Warden
from highwater.harness.properties import write_properties
from highwater.harness.settings import CONTROLLER_ID, BrokerPorts, Layout, VoterPorts, voter_ids
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.wait import wait_until

BROKERS = (1, 2, 3)


def startup(folder: Path, effort: Effort) -> dict[str, object]:
    return on_each(effort.kafkas, lambda found: _measure(found, folder, effort.rounds))


def _measure(found: Runtime, folder: Path, rounds: int) -> dict[str, object]:
    ensure_archive(found)
    ways: dict[str, Callable[[], float]] = {
        "plain": lambda: _plain(found, folder / "plain"),
        "bare": lambda: _ours(
            found, folder, ClusterSpec(gated=False, quiet_replication_links=False)
        ),
        "ours": lambda: _ours(found, folder, ClusterSpec()),
        "cold": lambda: _ours(found, folder, ClusterSpec(), []),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for round_, (name, way) in itertools.product(range(rounds), ways.items()):
        if name != "cold" or not round_:  # nobody compares that one: once will do
            seconds[name].append(round(way(), 2))
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    return {
        "seconds": seconds,
        "bare_to_plain": round(medians["bare"] / medians["plain"], 2),
        "ours_to_plain": round(medians["ours"] / medians["plain"], 2),
        "idle_mib_per_broker": _memory(found, folder),
    }


def _ours(
    found: Runtime, folder: Path, spec: ClusterSpec, options: Sequence[str] | None = None
) -> float:
    started = time.monotonic()
    with KafkaCluster(ProcessSite(found, folder / "ours", options), spec):
        return time.monotonic() - started


def _memory(found: Runtime, folder: Path) -> list[int]:
    site = ProcessSite(found, folder / "idle")
    with KafkaCluster(site, ClusterSpec()) as cluster:
        return [site.nodes[broker].resident_mib() for broker in cluster.brokers]


def _plain(found: Runtime, folder: Path) -> float:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with ExitStack() as stack:
        ports = stack.enter_context(Ports())
        warden = stack.enter_context(Warden())  # nothing stays behind, however this ends
        layout = plain_layout(found.kafka, ports, folder)
        commands = _commands(found, layout)
        started = time.monotonic()
        for command in commands:
            process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                process_group=warden.group,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
        for broker in BROKERS:
            probe = ReplicaProbe(found.kafka, Wire(HOST, layout.brokers[broker].client))
            stack.callback(probe.close)
            wait_until(partial(_knows_all, probe), f"plain broker {broker} to know all", 90)
        return time.monotonic() - started


def plain_layout(kafka: Kafka, ports: Ports, folder: Path) -> Layout:
    """Without a gate, all on this machine."""
    voters = voter_ids(kafka, 1)
    return Layout(
        directory=folder,
        kafka=kafka,
        brokers={each: _broker_ports(kafka, ports) for each in BROKERS},
        voters={each: VoterPorts(ports.free()) for each in voters},
        hosts=dict.fromkeys((*BROKERS, *voters), HOST),
        clients_at=HOST,
        gate_at=HOST,
    )


def _broker_ports(kafka: Kafka, ports: Ports) -> BrokerPorts:
    """Where there is one listener only, peers and clients share it."""
    client = ports.free()
    peers = ports.free() if kafka.has_named_listeners else client
    return BrokerPorts(client, peers, None)


def _knows_all(probe: ReplicaProbe) -> bool:
    return len(probe.metadata().brokers) == len(BROKERS)


def _commands(found: Runtime, layout: Layout) -> list[list[str]]:
    """The metadata store first, then the brokers, all at once."""
    written = {
        f"broker-{each}": settings.broker_settings(layout, each, len(BROKERS)) for each in BROKERS
    }
    if found.kafka.kraft:
        written["metadata"] = settings.controller_settings(layout)
        cluster_id = new_cluster_id()
        for node in (*BROKERS, CONTROLLER_ID):
            format_storage(storage_template(found, {}), layout.log_dir(node), node, cluster_id)
    else:
        written["metadata"] = settings.zookeeper_settings(layout)
    for name, content in written.items():
        write_properties(layout.directory / f"{name}.properties", content)
    store = BROKER if found.kafka.kraft else ZOOKEEPER
    options = sharing(found.archive)
    lines = [found.line(store, ["metadata.properties"], options if found.kafka.kraft else ())]
    lines += [found.line(BROKER, [f"broker-{each}.properties"], options) for each in BROKERS]
    return [["-Xmx384m" if word.startswith("-Xmx") else word for word in line] for line in lines]
