"""One follower cannot fetch from one leader, and nobody notices: the link just stands still."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.voters import no_leaders
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import link_blocked


@dataclass(frozen=True, slots=True)
class BlockLink:
    """Every request and answer of the fetcher's connections is held, whatever its api: a blackhole.

    Without `leader` these are its connections to whoever leads, now and later; what it hears of the
    controller goes on. Healing discards
    what is held and closes those connections: the follower then asks anew.
    """

    follower: int
    leader: int | None = None

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        spared = no_leaders(cluster) if self.leader is None else ()
        blocked = link_blocked(follower=self.follower, leader=self.leader, spared=spared)
        rule = cluster.gate.add(blocked)
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
