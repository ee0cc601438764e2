"""What a producer has sent is written, and it does not hear of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldAcknowledgements:
    """Answers to Produce requests of the client named `producer` are held, whoever sends them.

    For scenarios with gated_clients. Healing drops what is held, and its connections.
    """

    producer: str
    needs: ClassVar = ("links", "gated_clients")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match(stage="response", apis=(PRODUCE,), client_id=self.producer)
        rule = cluster.gate.add(Rule(answers))
        try:
            yield AtTheGate(rule)
        finally:
            rule.drop()
