"""ZooKeeper, or the KRaft controller, dies: of several voters the one that leads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class KillMetadata:
    """SIGKILL; brokers go on as they were told last. Healing starts it again, with what it wrote.

    Raises NoLeaderError when there are several, and none leads.
    """

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.quorum_leader()
        try:
            cluster.kill(node)
            yield Proof({"node": node, "running": cluster.running(node)})
        finally:
            if not cluster.running(node):
                cluster.start(node)
