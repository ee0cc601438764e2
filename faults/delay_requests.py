"""A follower's fetches arrive a little later than they were sent."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class DelayRequests:
    """Every Fetch request of `follower` to `leader` waits `delay_ms` at the gate."""

    leader: int
    follower: int
    delay_ms: float

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(stage="request", apis=(FETCH,), leader=self.leader, follower=self.follower)
        rule = cluster.gate.add(Rule(requests, Action("delay", delay_ms=self.delay_ms)))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
