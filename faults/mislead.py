"""A client asks who leads, and is told another broker that has a replica."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import require_asked
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.gate.headers import METADATA
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.versions.jars import message_jars


@dataclass(frozen=True, slots=True)
class Mislead:
    """Answers to Metadata requests of `client` say that `broker` leads, wherever it has a replica.

    As those of a broker whose own metadata are old, but with the leader epoch of today. `client` is
    a client.id, `often` says which of the answers. What other answers tell of leaders is let be:
    since Kafka 3.7 a broker that refuses a request may say who leads (KIP-951). For clusters with
    gated_clients. Raises UsageError for what is no client.id, no broker or no Trigger.
    """

    client: str
    broker: int
    often: Trigger = field(default_factory=Trigger)
    api: ClassVar = "Metadata"
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_asked(self)
        if type(self.broker) is not int:
            raise UsageError(f"Mislead: expected the number of a broker, saw {self.broker!r}")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        cluster.gate.describe(message_jars())
        answers = Match("response", apis=(METADATA,), client_id=self.client)
        rule = cluster.gate.add(Rule(answers, Action("answer", leader=self.broker), self.often))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
