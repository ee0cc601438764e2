"""ZooKeeper, or the KRaft controller, dies: brokers go on as they were told last."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class KillMetadata:
    """SIGKILL; healing starts it again, with what it had written."""

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.metadata_node
        try:
            cluster.kill(node)
            yield Proof({"node": node, "running": cluster.running(node)})
        finally:
            if not cluster.running(node):
                cluster.start(node)
