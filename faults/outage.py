"""All brokers die at once: nobody is left to notice, and the ISR stays as it was."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Outage:
    """Every one of `brokers` is killed, the controller should be among them; page caches survive.

    Their sessions end only when all are dead (ZooKeeper mode). Healing starts the first one and
    waits until it serves, which makes it the controller, and then the others.
    """

    brokers: tuple[int, ...]

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        first, *others = self.brokers
        try:
            for broker in self.brokers:
                cluster.kill(broker)
            for broker in self.brokers:
                cluster.metadata.end_session(broker)
            running = [each for each in self.brokers if cluster.running(each)]
            yield Proof({"running": running})
        finally:
            _start(cluster, first)
            cluster.await_serving(first)
            for broker in others:
                _start(cluster, broker)


def _start(cluster: Cluster, broker: int) -> None:
    if not cluster.running(broker):
        cluster.start(broker)
