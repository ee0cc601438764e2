"""A broker dies at once: SIGKILL."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Kill:
    """The page cache survives, so no record is lost by this alone; only checkpoints are stale.

    In ZooKeeper mode what is left of the broker's session is ended as well, as its timeout would:
    the election need not be waited for. Healing starts the broker again.
    """

    broker: int

    needs: ClassVar = ("nodes", "kills")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        try:
            cluster.nodes.kill(self.broker)
            cluster.metadata.end_session(self.broker)
            yield Proof({"running": cluster.nodes.running(self.broker)})
        finally:
            if not cluster.nodes.running(self.broker):
                cluster.nodes.start(self.broker)
