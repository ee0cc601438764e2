"""The files of a broker that does not run: only those may be touched."""

from __future__ import annotations

from pathlib import Path

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import replica_dir
from highwater.harness.model import TopicPartition
from highwater.harness.probes.batches import Batch, log_batches


def offline_files(cluster: Cluster, broker: int) -> Path:
    """Its log directory; raises PreconditionError while it runs."""
    if cluster.nodes.running(broker):
        raise PreconditionError(f"broker {broker} runs: its files are not to be touched")
    return cluster.files.log_dir(broker)


def offline_replica(cluster: Cluster, broker: int, where: TopicPartition) -> Path:
    """Where it has a partition, on whichever disk; raises PreconditionError while it runs."""
    offline_files(cluster, broker)
    return replica_dir(cluster, broker, where)


def offline_batch(cluster: Cluster, broker: int, where: TopicPartition, offset: int) -> Batch:
    """The batch that has an offset; raises PreconditionError where there is none."""
    directory = offline_replica(cluster, broker, where)
    for batch in log_batches(directory):
        if batch.base_offset <= offset <= batch.last_offset:
            return batch
    raise PreconditionError(f"{directory} has no record at offset {offset}")
