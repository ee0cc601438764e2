"""No fault at all: what a producer sends is reported as it passes the gate, and to whom it goes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.asked import require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class WatchProduce:
    """Produce requests of the client named `producer`, to `broker`, or whichever it is.

    For scenarios with gated_clients.
    """

    producer: str
    broker: int | None = None
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_meant(self, self.broker)

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match("request", apis=(PRODUCE,), client_id=self.producer, leader=self.broker)
        rule = cluster.gate.add(Rule(requests, Action("watch")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
