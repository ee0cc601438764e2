"""The network falls into two halves that do not hear each other."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster


@dataclass(frozen=True, slots=True)
class PartitionBrokers:
    """No broker of `one_side` reaches one of `other_side`, nor the other way round.

    ZooKeeper, or the KRaft controller, hears all of them still, unless its number is in a side and
    the cluster's metadata links are gated.
    """

    one_side: tuple[int, ...]
    other_side: tuple[int, ...]

    needs: ClassVar = ("links", "nodes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        with cut(cluster, between(self.one_side, self.other_side)) as links:
            yield links
