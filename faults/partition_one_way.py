"""Some brokers cannot ask others, who can ask them: a firewall, or an asymmetric route."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks, cut
from highwater.harness.cluster import Cluster


@dataclass(frozen=True, slots=True)
class PartitionOneWay:
    """Nothing that `askers` ask of `asked` arrives, nor an answer; the other way all is well."""

    askers: tuple[int, ...]
    asked: tuple[int, ...]

    needs: ClassVar = ("links", "nodes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        links = {(one, other) for one in self.askers for other in self.asked if one != other}
        with cut(cluster, links) as opened:
            yield opened
