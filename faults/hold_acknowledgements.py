"""What a producer has sent is written, and it does not hear of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class HoldAcknowledgements:
    """Answers to Produce requests of the client named `producer` are held, whoever sends them.

    For scenarios with gated_clients. Healing drops what is held, and its connections; with `late`
    it goes on, if anybody still waits for it. `often` says which of them: `Trigger("once")`;
    `broker` whose answers they are, None: anybody's.
    """

    producer: str
    often: Trigger = field(default_factory=Trigger)
    late: bool = False
    broker: int | None = None
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_meant(self, self.broker)

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match("response", apis=(PRODUCE,), client_id=self.producer, leader=self.broker)
        rule = cluster.gate.add(Rule(answers, Action("hold"), self.often))
        try:
            yield AtTheGate(rule)
        finally:
            if self.late:
                rule.pass_on()
            else:
                rule.drop()
