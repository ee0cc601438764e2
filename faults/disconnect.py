"""A broker is taken off the network: the cable is pulled."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Disconnect:
    """It reaches nobody, and nobody, clients included, reaches it; containers only."""

    broker: int

    needs: ClassVar = ("nodes", "processes")
    not_on: ClassVar = {"process": "a process has no network of its own; Isolate cuts its links"}

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        node = cluster.nodes[self.broker]
        try:
            node.disconnect()
            routes = node.run(["cat", "/proc/net/route"]).splitlines()[1:]
            yield Proof({"running": node.running, "routes": routes})
        finally:
            node.reconnect()
