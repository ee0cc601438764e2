"""A transaction has been decided, and one leader does not hear of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import WRITE_TXN_MARKERS
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldMarkers:
    """Hold the markers of transactions (WriteTxnMarkers) from one coordinator to one leader.

    Another coordinator's pass. Healing drops what is held: a coordinator that still is one sends
    its markers again.
    """

    coordinator: int
    leader: int
    needs: ClassVar = "links"
    on_kafka: ClassVar = "has_record_batches"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        markers = Match(
            stage="request",
            apis=(WRITE_TXN_MARKERS,),
            sender=self.coordinator,
            leader=self.leader,
        )
        rule = cluster.gate.add(Rule(markers))
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
