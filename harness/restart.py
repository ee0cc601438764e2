"""A broker is restarted by its operator."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof
from highwater.harness.probes.checkpoints import stopped_cleanly


@dataclass(frozen=True, slots=True)
class Restart:
    """It is asked to stop (SIGTERM): its leaderships move away first, and its log is flushed.

    Healing starts it again.
    """

    broker: int

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        try:
            cluster.nodes.terminate(self.broker)
            clean = stopped_cleanly(cluster.files.log_dir(self.broker))
            yield Proof(
                {"running": cluster.nodes.running(self.broker), "clean shutdown marker": clean}
            )
        finally:
            if not cluster.nodes.running(self.broker):
                cluster.nodes.start(self.broker)
