"""ZooKeeper, or the KRaft controller, dies: of several voters the one that leads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class KillMetadata:
    """SIGKILL; brokers go on as they were told last. Healing starts it again, with what it wrote.

    Raises NoLeaderError when there are several, and none leads.
    """

    needs: ClassVar = ("nodes", "processes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.nodes.quorum_leader()
        try:
            cluster.nodes.kill(node)
            yield Proof({"node": node, "running": cluster.nodes.running(node)})
        finally:
            if not cluster.nodes.running(node):
                cluster.nodes.start(node)
