"""Two halves of the network that only one broker can still hear, and be heard by."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster


@dataclass(frozen=True, slots=True)
class PartitionBridge:
    """`one_side` and `other_side` are cut off from each other; `bridge` reaches all of them."""

    one_side: tuple[int, ...]
    bridge: int
    other_side: tuple[int, ...]

    needs: ClassVar = ("links", "nodes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        sides = [
            tuple(each for each in side if each != self.bridge)
            for side in (self.one_side, self.other_side)
        ]
        with cut(cluster, between(*sides)) as links:
            yield links
