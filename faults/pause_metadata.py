"""ZooKeeper, or the KRaft controller, freezes: of several voters the one that leads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class PauseMetadata:
    """Whoever asks it waits; a single one that is frozen for longer ends everybody's session.

    Raises NoLeaderError when there are several, and none leads.
    """

    needs: ClassVar = ("nodes", "processes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.nodes.quorum_leader()
        try:
            cluster.nodes.pause(node)
            yield Proof({"node": node, "kernel state": "stopped"})
        finally:
            cluster.nodes.resume(node)
