"""A broker gets little of the processor: a noisy neighbour, or a container throttled."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof

READ = "cd /sys/fs/cgroup && cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us"  # version 2, 1


@dataclass(frozen=True, slots=True)
class LimitCpu:
    """The quota of its control group, in cores; containers only."""

    broker: int
    cores: float = 0.1

    needs: ClassVar = ("nodes", "processes")
    not_on: ClassVar = {"process": "a process has no CPU quota of its own"}

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.nodes[self.broker]
        try:
            node.limit_cpu(self.cores)
            yield Proof({"quota and period, us": node.run(["sh", "-c", READ]).split()})
        finally:
            node.limit_cpu(None)
