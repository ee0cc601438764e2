"""A leader asks the controller for another ISR, and the request is late."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import ALTER_PARTITION
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldIsrChange:
    """Hold AlterPartition requests of `leader` on their way to the controller (KIP-497).

    For scenarios with gated_metadata. Before 2.7 a leader writes its ISR into ZooKeeper itself, and
    there is nothing to hold. Healing delivers what stands.
    """

    leader: int

    needs: ClassVar = ("links", "gated_metadata")
    on_kafka: ClassVar = "leaders_ask_for_the_isr"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        asked = Match(stage="request", apis=(ALTER_PARTITION,), sender=self.leader)
        rule = cluster.gate.add(Rule(asked))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
