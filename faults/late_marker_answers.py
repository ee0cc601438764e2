"""A leader has written the markers of a transaction, and its coordinator hears of it late."""

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
class LateMarkerAnswers:
    """Hold the answers to WriteTxnMarkers from one leader to one coordinator.

    The markers themselves pass, and those of another coordinator with their answers. Healing
    delivers what is held, if the coordinator still waits for it: that is for request.timeout.ms.
    """

    coordinator: int
    leader: int
    needs: ClassVar = "links"
    on_kafka: ClassVar = "has_record_batches"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match(
            stage="response",
            apis=(WRITE_TXN_MARKERS,),
            sender=self.coordinator,
            leader=self.leader,
        )
        rule = cluster.gate.add(Rule(answers))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
