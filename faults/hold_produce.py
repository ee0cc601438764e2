"""One producer's records are late: they stand in the network, and outlive its patience."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.late import deliver
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class HoldProduce:
    """Produce requests of the client named `producer` are held, to `broker`, or whichever it is.

    For scenarios with gated_clients. What has been sent stays under way although the producer gives
    up and closes its connection. Healing delivers it, and waits until it is answered. See `often`.
    """

    producer: str
    often: Trigger = field(default_factory=Trigger)
    broker: int | None = None
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_meant(self, self.broker)

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        since, hold = cluster.gate.mark(), Action("hold", keep_after_close=True)
        asked = Match("request", apis=(PRODUCE,), client_id=self.producer, leader=self.broker)
        rule = cluster.gate.add(Rule(asked, hold, self.often))
        try:
            yield AtTheGate(rule)
        finally:
            deliver(cluster, rule, since)
