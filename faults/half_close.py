"""One end of a connection is gone, and the other has not been told: it waits for an answer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class HalfClose:
    """The leader sees the fetcher's connections closed; the follower believes that they are open.

    As when a firewall forgets a connection. Each closes at its next request; healing closes the
    follower's end too.
    """

    follower: int
    leader: int

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(stage="request", follower=self.follower, leader=self.leader)
        rule = cluster.gate.add(Rule(requests, Action("hold", half_close=True)))
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
