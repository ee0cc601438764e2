"""A broker freezes: SIGSTOP, as in a very long garbage collection."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Pause:
    """Its sockets stay open and its peers wait; healing lets it go on where it was."""

    broker: int

    needs: ClassVar = ("nodes", "pauses")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        try:
            yield Proof(cluster.nodes.pause(self.broker))
        finally:
            cluster.nodes.resume(self.broker)
