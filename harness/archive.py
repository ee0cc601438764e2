"""Makes a version's class-data-sharing archive: half of a broker's start-up is class loading.

One broker runs once with -XX:ArchiveClassesAtExit, serves a topic and stops in an orderly way; from
then on every broker of that version maps what it had loaded. Made once per Kafka and Java.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from filelock import FileLock

from highwater.harness.broker_logs import log_end
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.processes.node import ProcessNode
from highwater.harness.processes.site import ProcessSite
from highwater.harness.wait import wait_until

DUMP_TIMEOUT_S = 60.0


def ensure_archive(runtime: Runtime) -> Path:
    """The archive of this runtime, made now if it is not there; safe for two at once."""
    runtime.archive.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(runtime.archive.with_suffix(".lock")):
        if not runtime.archive.exists():
            _make(runtime)
    return runtime.archive


def _make(runtime: Runtime) -> None:
    spec = ClusterSpec(brokers=1, directed=False, gated=False)
    partial = runtime.archive.with_suffix(".partial")
    with tempfile.TemporaryDirectory() as folder:
        site = ProcessSite(runtime, Path(folder) / "cluster", archived=False)
        with KafkaCluster(site, spec) as cluster:
            _dump(cluster, site.nodes[1], partial)
    partial.replace(runtime.archive)


def _dump(cluster: KafkaCluster, node: ProcessNode, target: Path) -> None:
    node.terminate()
    node.start(f"-XX:ArchiveClassesAtExit={target}")
    cluster.await_serving(1)
    where = TopicPartition("archive")
    cluster.metadata.create_topic(where.topic, [1], {"min.insync.replicas": "1"})
    wait_until(lambda: cluster.probe(1).leads(where), "a topic to be served")
    node.terminate(DUMP_TIMEOUT_S)
    if not target.exists():
        raise InfrastructureError(
            f"Java wrote no class archive for Kafka {cluster.kafka.name}:\n{log_end(node.log)}"
        )
