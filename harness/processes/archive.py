"""Makes a version's class-data-sharing archive: half of a broker's start-up is class loading.

One broker runs once with -XX:ArchiveClassesAtExit, serves a topic and stops in an orderly way; from
then on every broker of that version maps what it had loaded. Made once per Kafka and Java.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from filelock import FileLock

from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.processes.cluster import ProcessCluster
from highwater.harness.processes.jvm import Runtime
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
    spec = ClusterSpec(brokers=1, directed=False, gated=False, archived=False)
    partial = runtime.archive.with_suffix(".partial")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessCluster(runtime, spec, Path(folder) / "cluster") as cluster,
    ):
        cluster.terminate(1)
        node = cluster.node(1)
        node.start(f"-XX:ArchiveClassesAtExit={partial}")
        cluster.await_serving(1)
        where = TopicPartition("archive")
        cluster.metadata.create_topic(where.topic, [1], {"min.insync.replicas": "1"})
        wait_until(lambda: cluster.probe(1).leads(where), "a topic to be served")
        node.terminate(DUMP_TIMEOUT_S)
        if not partial.exists():
            raise InfrastructureError(
                f"Java wrote no class archive for Kafka {runtime.kafka.name}:\n{node.log_end()}"
            )
    partial.replace(runtime.archive)
