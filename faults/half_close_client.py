"""A broker has closed a client's connection, and the client has not been told: it waits."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class HalfCloseClient:
    """Connections of the client named `producer` close at a Produce request, on one side alone.

    As when a firewall forgets a connection: the request is gone, and the client believes that it is
    under way. `often` says at which requests. For scenarios with gated_clients. Healing closes the
    client's end too.
    """

    producer: str
    often: Trigger = field(default_factory=Trigger)
    needs: ClassVar = ("links", "gated_clients")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(stage="request", apis=(PRODUCE,), client_id=self.producer)
        rule = cluster.gate.add(Rule(requests, Action("hold", half_close=True), self.often))
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
