"""Every broker hears its neighbours only: each sees a majority, and no two the same one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks, between, cut
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError


@dataclass(frozen=True, slots=True)
class PartitionRing:
    """`brokers` in a circle; whoever is not next to one another is cut off.

    Jepsen's majorities ring. Takes at least four: three are all neighbours of one another.
    """

    brokers: tuple[int, ...]

    needs: ClassVar = ("links", "nodes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        count = len(self.brokers)
        if count < 4:
            raise PreconditionError(f"a ring of {self.brokers} cuts nothing: it takes four brokers")
        links = {
            link
            for at, one in enumerate(self.brokers)
            for step in range(2, count - 1)
            for link in between((one,), (self.brokers[(at + step) % count],))
        }
        with cut(cluster, links) as opened:
            yield opened
