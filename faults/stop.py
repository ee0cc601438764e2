"""A broker is asked to stop: SIGTERM, with its controlled shutdown."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof
from highwater.harness.probes.checkpoints import stopped_cleanly


@dataclass(frozen=True, slots=True)
class Stop:
    """Leadership moves away first, and the log is flushed; healing starts the broker again."""

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
