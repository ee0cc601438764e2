"""A follower is far away: everything between it and its leader takes time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class DelayLink:
    """Every request and answer of the fetcher's connections waits `delay_ms` at the gate.

    What Toxiproxy calls latency; a round trip takes twice as long.
    """

    follower: int
    leader: int
    delay_ms: float = 100

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        link = Match(follower=self.follower, leader=self.leader)
        rule = cluster.gate.add(Rule(link, Action("delay", delay_ms=self.delay_ms)))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
