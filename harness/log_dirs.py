"""Two log directories of a broker, as on two disks: a replica lies in one of them.

The second one stands beside the first, under its name with a word more. What is not of replicas
(the metadata log of KRaft, and what is read of the broker as a whole) is in the first one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from highwater.harness.cluster import Cluster
from highwater.harness.model import TopicPartition
from highwater.harness.probes.checkpoints import (
    HIGH_WATERMARK_CHECKPOINT,
    read_offset_checkpoint,
)

SECOND = "-second"


def second_log_dir(first: Path) -> Path:
    return first.with_name(f"{first.name}{SECOND}")


def log_dirs(first: Path, *, two: bool) -> tuple[Path, ...]:
    """Of a node that has both, or the first one alone."""
    return (first, second_log_dir(first)) if two else (first,)


def replica_dir(cluster: Cluster, broker: int, where: TopicPartition) -> Path:
    """Where a replica's segments are: in the first log directory, unless it is in the second.

    A disk that was lost and is back may have what the broker has made anew on the other one: of two
    it has the one that was written last.
    """
    both = log_dirs(cluster.files.log_dir(broker), two=True)
    first, second = (each / str(where) for each in both)
    if first.is_dir() and second.is_dir():
        return max((first, second), key=_written_ns)
    return second if second.is_dir() else first


def checkpointed_high_watermark(cluster: Cluster, broker: int, where: TopicPartition) -> int:
    """The one beside a replica, on the same disk; 0 where none was written."""
    disk = replica_dir(cluster, broker, where).parent
    watermarks = read_offset_checkpoint(disk / HIGH_WATERMARK_CHECKPOINT)
    return watermarks.get((where.topic, where.partition), 0)


def _written_ns(directory: Path) -> int:
    """When a file in it was last written, made or removed."""
    times = [directory.stat().st_mtime_ns]
    with os.scandir(directory) as files:
        for each in files:
            with suppress(FileNotFoundError):  # its broker may run
                times.append(each.stat().st_mtime_ns)
    return max(times)
