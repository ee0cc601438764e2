"""A broker is alone: it reaches no peer, and no peer reaches it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError


@dataclass(frozen=True, slots=True)
class Isolate:
    """Where the cluster's metadata links are gated, ZooKeeper or the controller is lost as well.

    Clients still reach it, which is what makes an isolated leader dangerous. Aim it at a role with
    Aimed: the leader, a follower, the controller, a coordinator.
    """

    broker: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        with cut(cluster, between((self.broker,), self._others(cluster))) as links:
            yield links

    def _others(self, cluster: Cluster) -> set[int]:
        metadata = cluster.metadata_node
        if cluster.spec.gated_metadata:
            return {*cluster.nodes, metadata} - {self.broker}
        if self.broker == metadata:
            raise PreconditionError("metadata links are not gated: say gated_metadata=True")
        return {*cluster.nodes} - {self.broker, metadata}
