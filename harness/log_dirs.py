"""Two log directories of a broker, as on two disks: a replica lies in one of them.

The second one stands beside the first, under its name with a word more. What is not of replicas
(the metadata log of KRaft, and what is read of the broker as a whole) is in the first one.
"""

from __future__ import annotations

from pathlib import Path

from highwater.harness.cluster import Cluster
from highwater.harness.model import TopicPartition

SECOND = "-second"


def second_log_dir(first: Path) -> Path:
    return first.with_name(f"{first.name}{SECOND}")


def log_dirs(first: Path, *, two: bool) -> tuple[Path, ...]:
    """Of a node that has both, or the first one alone."""
    return (first, second_log_dir(first)) if two else (first,)


def replica_dir(cluster: Cluster, broker: int, where: TopicPartition) -> Path:
    """Where a replica's segments are: in the first log directory, unless it is in the second."""
    first = cluster.files.log_dir(broker)
    moved = second_log_dir(first) / str(where)
    return moved if moved.is_dir() else first / str(where)
