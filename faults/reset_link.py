"""A follower's connections to its leader break, again and again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class ResetLink:
    """Whatever is sent on the fetcher's connections has both sides aborted at once (RST).

    What Toxiproxy calls reset_peer. The follower connects anew until the fault is healed.
    """

    follower: int
    leader: int

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        link = Match(follower=self.follower, leader=self.leader)
        rule = cluster.gate.add(Rule(link, Action("cut")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
