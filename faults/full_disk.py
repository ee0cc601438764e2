"""A broker's disk is full: no file of it can grow beyond what it has."""

from __future__ import annotations

import resource
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.revival import revive
from highwater.harness.cluster import Cluster
from highwater.harness.log_dirs import replica_dir
from highwater.harness.model import Proof, TopicPartition


@dataclass(frozen=True, slots=True)
class FullDisk:
    """The kernel refuses a write that would make a file longer than its log, or its longest segment
    of `where`, by more than `spare_bytes` (RLIMIT_FSIZE, so EFBIG and not ENOSPC).

    To Kafka it is the same: an IOException at an append, upon which the log directory goes offline,
    and a broker without another one halts. Healing starts it again.
    """

    broker: int
    where: TopicPartition
    spare_bytes: int = 65_536

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.nodes[self.broker]
        segments = replica_dir(cluster, self.broker, self.where).glob("*.log")
        longest = max(path.stat().st_size for path in (node.log, *segments))
        pid, most = node.pid, longest + self.spare_bytes
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        try:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, before[1]))
            now, _ = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            yield Proof({"longest file allowed, bytes": now})
        finally:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
            revive(cluster, self.broker)
