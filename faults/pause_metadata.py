"""ZooKeeper, or the KRaft controller, freezes: whoever asks it waits."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class PauseMetadata:
    """Frozen for longer than a session lasts, everybody's session has ended when it goes on."""

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.metadata_node
        try:
            cluster.pause(node)
            yield Proof({"node": node, "kernel state": "stopped"})
        finally:
            cluster.resume(node)
