"""Makes a version's class-data-sharing archive: half of a broker's start-up is class loading.

One broker runs once with -XX:ArchiveClassesAtExit, serves a topic and stops in an orderly way; from
then on every broker of that version maps what it had loaded. Made once per Kafka and Java.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from highwater.harness.broker_logs import log_end
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.runtime import Runtime, dumping
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.processes.site import ProcessSite
from highwater.harness.sites import Site
from highwater.harness.wait import wait_until

MakeSite = Callable[[Path, Sequence[str]], Site]  # of a directory and options for brokers


def ensure_archive(runtime: Runtime) -> Path:
    """The archive for processes of this runtime, made now if it is not there."""
    return make_archive(
        runtime.archive, lambda directory, options: ProcessSite(runtime, directory, options)
    )


def make_archive(archive: Path, make_site: MakeSite) -> Path:
    """An archive for whatever runs on such sites, made if it is not there; safe for two at once."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(archive.with_suffix(".lock")):
        if not archive.exists():
            _make(archive, make_site)
    return archive


def _make(archive: Path, make_site: MakeSite) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "cluster"
        dumped, partial = directory / archive.name, archive.with_suffix(".partial")
        site = make_site(directory, dumping(dumped))
        with KafkaCluster(
            site, ClusterSpec(brokers=1, quiet_replication_links=False, gated=False)
        ) as cluster:
            where = TopicPartition("archive")
            cluster.metadata.create_topic(where.topic, [[1]], {"min.insync.replicas": "1"})
            wait_until(lambda: cluster.probe(1).leads(where), "a topic to be served")
            cluster.nodes.terminate(1)
            if not dumped.exists():
                raise InfrastructureError(
                    f"Java wrote no class archive for Kafka {cluster.kafka.name}:\n"
                    f"{log_end(cluster.files.server_log(1))}"
                )
        shutil.copy(dumped, partial)
    partial.replace(archive)
