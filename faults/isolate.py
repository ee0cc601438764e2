"""A broker is alone: it reaches no peer, and no peer reaches it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Isolate:
    """Where the cluster's metadata links are gated, ZooKeeper or the controller is lost as well.

    Clients still reach it, which is what makes an isolated leader dangerous. Aim it at a role with
    Aimed: the leader, a follower, the controller, a coordinator.
    """

    broker: int

    needs: ClassVar = ("links", "nodes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        with cut(cluster, between((self.broker,), self._others(cluster))) as links:
            yield links

    def _others(self, cluster: Cluster) -> set[int]:
        voters = set(cluster.nodes.voters)
        has_gates = cluster.spec.gated_metadata or self.broker in voters  # else `cut` refuses
        return set(cluster.nodes.numbers) - {self.broker} - (set() if has_gates else voters)
