"""A broker and the controller die together, so nobody takes the broker out of the ISR."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof
from highwater.harness.wait import wait_until

REGISTER_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class KillUnnoticed:
    """Both get SIGKILL; nobody succeeds a dead controller while its session lasts (ZooKeeper mode).

    Healing starts the broker, and ends the controller's session when the broker has registered
    again: the next controller finds everybody alive, and tells the broker what it is to do.
    """

    broker: int

    needs: ClassVar = ("nodes", "processes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        dead = (cluster.nodes.controller, self.broker)
        try:
            for each in dead:
                cluster.nodes.kill(each)
            cluster.metadata.end_session(self.broker)
            yield Proof({"running": [each for each in dead if cluster.nodes.running(each)]})
        finally:
            try:
                _return(cluster, self.broker)
            finally:
                cluster.metadata.end_session(cluster.nodes.controller)
                _start(cluster, cluster.nodes.controller)


def _return(cluster: Cluster, broker: int) -> None:
    _start(cluster, broker)
    what = f"broker {broker} to register again"
    wait_until(lambda: broker in cluster.metadata.registered(), what, REGISTER_TIMEOUT_S)


def _start(cluster: Cluster, broker: int) -> None:
    if not cluster.nodes.running(broker):
        cluster.nodes.start(broker)
