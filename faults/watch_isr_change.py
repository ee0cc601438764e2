"""No fault at all: the controller's answers about the ISR are reported as they pass the gate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import ALTER_PARTITION
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class WatchIsrChange:
    """AlterPartition answers to `leader`: the controller has decided when one has passed.

    For scenarios with gated_metadata.
    """

    leader: int

    needs: ClassVar = ("links", "gated_metadata")
    on_kafka: ClassVar = "leaders_ask_for_the_isr"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match(stage="response", apis=(ALTER_PARTITION,), sender=self.leader)
        rule = cluster.gate.add(Rule(answers, Action("watch")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
