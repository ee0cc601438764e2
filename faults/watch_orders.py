"""No fault at all: a broker's answers to its controller are reported as they pass the gate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import LEADER_AND_ISR
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class WatchOrders:
    """LeaderAndIsr answers of `broker`: it has taken an order when one has passed."""

    broker: int

    needs: ClassVar = "links"
    on_kafka: ClassVar = "orders_brokers"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match(stage="response", apis=(LEADER_AND_ISR,), leader=self.broker)
        rule = cluster.gate.add(Rule(answers, Action("watch")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
