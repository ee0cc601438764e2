"""A broker is restarted by its operator."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof
from highwater.harness.probes.checkpoints import stopped_cleanly


@dataclass(frozen=True, slots=True)
class Restart:
    """It is asked to stop (SIGTERM): its leaderships move away first, and its log is flushed.

    Healing starts it again.
    """

    broker: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        try:
            cluster.terminate(self.broker)
            clean = stopped_cleanly(cluster.log_dir(self.broker))
            yield Proof({"running": cluster.running(self.broker), "clean shutdown marker": clean})
        finally:
            if not cluster.running(self.broker):
                cluster.start(self.broker)
