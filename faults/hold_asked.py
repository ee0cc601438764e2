"""What a client asks of a broker stands in the network, and arrives late."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.gate.messages.answerable import api_named
from highwater.harness.gate.rules import Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class HoldAsked:
    """Requests of `api` ("OffsetCommit", "JoinGroup") of a client stand before whom it asks.

    `client` is a client.id: the name of a load, of a producer, or of a member of a group. `often`
    says which of the requests. Healing lets them pass, if the client still waits for an answer. For
    clusters with gated_clients. Raises UsageError for an api that has no such name, and for what is
    no client.id or no Trigger.
    """

    api: str
    client: str
    often: Trigger = field(default_factory=Trigger)
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        api_named(self.api, done=True)
        if not isinstance(self.client, str) or not self.client:
            raise UsageError(f"HoldAsked: expected the client.id of a client, saw {self.client!r}")
        if not isinstance(self.often, Trigger):
            raise UsageError(f"HoldAsked: expected a Trigger for often, saw {self.often!r}")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        asked = Match("request", apis=(api_named(self.api, done=True),), client_id=self.client)
        rule = cluster.gate.add(Rule(asked, trigger=self.often))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
