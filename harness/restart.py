"""A node is restarted by its operator."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import NODES, Cluster
from highwater.harness.model import Proof
from highwater.harness.probes.checkpoints import stopped_cleanly


def nothing() -> None:
    """While a node is down nothing is done to it."""


@contextmanager
def stopped(
    cluster: Cluster, node: int, meanwhile: Callable[[], None] = nothing
) -> Generator[Proof]:
    """A node has been asked to stop (SIGTERM), and then `meanwhile`; it is started at the end."""
    nodes = cluster.nodes
    try:
        nodes.terminate(node)
        clean = stopped_cleanly(cluster.files.log_dir(node))
        meanwhile()
        yield Proof({"running": nodes.running(node), "clean shutdown marker": clean})
    finally:
        if not nodes.running(node):
            nodes.start(node)


@dataclass(frozen=True, slots=True)
class Restart:
    """It is asked to stop: its leaderships move away first, and its log is flushed.

    Healing starts it again.
    """

    broker: int

    needs: ClassVar = ("nodes", "files")

    def inject(self, cluster: Cluster) -> AbstractContextManager[Proof]:
        return stopped(cluster, self.broker)


def await_living(cluster: Cluster) -> None:
    """Wait until every broker serves that runs and is not frozen, where nodes can be asked."""
    for broker in cluster.brokers if NODES in cluster.has else ():
        if cluster.nodes.running(broker) and not cluster.nodes.frozen(broker):
            cluster.nodes.await_serving(broker)
