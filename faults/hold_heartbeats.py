"""A broker tells the controller that it is there, and is not heard."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import BROKER_HEARTBEAT
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldHeartbeats:
    """Hold BrokerHeartbeat requests of `broker` on their way to the controller (KIP-631).

    For scenarios with gated_metadata. A broker that starts is registered, and stays fenced: it is
    let in by an answer to these. One that serves is fenced when its session is over. With ZooKeeper
    there is nothing to hold. Healing delivers what stands.
    """

    broker: int

    needs: ClassVar = ("links", "gated_metadata")
    on_kafka: ClassVar = "hears_heartbeats"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        told = Match(stage="request", apis=(BROKER_HEARTBEAT,), sender=self.broker)
        rule = cluster.gate.add(Rule(told))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
