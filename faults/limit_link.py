"""A thin line: a follower gets so many bytes a second from its leader, and no more."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class LimitLink:
    """Each frame of the fetcher's connections waits as long as its bytes take at `bytes_per_s`.

    What Toxiproxy calls bandwidth.
    """

    follower: int
    leader: int
    bytes_per_s: float = 10_000

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        link = Match(follower=self.follower, leader=self.leader)
        rule = cluster.gate.add(Rule(link, Action("limit", bytes_per_s=self.bytes_per_s)))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
