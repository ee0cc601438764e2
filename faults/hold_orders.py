"""A controller's orders do not reach one broker: it goes on as it was told last."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import LEADER_AND_ISR
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldOrders:
    """Hold LeaderAndIsr requests to `broker` that come from one controller (ZooKeeper mode).

    Another controller's pass. Healing drops what is held: stale requests are not replayed.
    """

    broker: int
    controller: int

    needs: ClassVar = "links"
    on_kafka: ClassVar = "orders_brokers"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        orders = Match(
            stage="request",
            apis=(LEADER_AND_ISR,),
            leader=self.broker,
            client_id=str(self.controller),
        )
        rule = cluster.gate.add(Rule(orders))
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
