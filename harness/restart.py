"""A broker is restarted by its operator."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Restart:
    """It is asked to stop, hands its leaderships over, and is started again when that is healed."""

    broker: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        try:
            cluster.terminate(self.broker)
            yield Proof({"running": cluster.running(self.broker)})
        finally:
            if not cluster.running(self.broker):
                cluster.start(self.broker)
