"""A follower's fetches arrive a little later than they were sent."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class DelayRequests:
    """Every Fetch request of `follower` to `leader` waits `delay_ms` at the gate.

    The default keeps the fetches of two followers apart: on 0.11.0 and 1.0 two of them at one
    instant may leave a producer without its ack (KAFKA-6653).
    """

    leader: int
    follower: int
    delay_ms: float = 25

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(stage="request", apis=(FETCH,), leader=self.leader, follower=self.follower)
        rule = cluster.gate.add(Rule(requests, Action("delay", delay_ms=self.delay_ms)))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
