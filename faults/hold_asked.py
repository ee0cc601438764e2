"""What a client asks of a broker stands in the network, and arrives late."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import at_requests, require_asked, require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Trigger


@dataclass(frozen=True, slots=True)
class HoldAsked:
    """Requests of `api` ("OffsetCommit", "JoinGroup") of a client stand before whom it asks.

    By "ApiVersions" most clients begin to use a connection.

    `client` is a client.id: the name of a load, of a producer, or of a member of a group. `often`
    says which of the requests, `broker` of whom, None: of anybody. Healing lets them pass, if the
    client still waits for an answer. For clusters with gated_clients. Raises UsageError for an api
    that has no such name, and for what is no client.id, Trigger or broker.
    """

    api: str
    client: str
    often: Trigger = field(default_factory=Trigger)
    broker: int | None = None
    needs: ClassVar = ("links", "gated_clients")

    def __post_init__(self) -> None:
        require_asked(self)
        require_meant(self, self.broker)

    def inject(self, cluster: Cluster) -> AbstractContextManager[AtTheGate]:
        return at_requests(cluster, self, Action("hold"), self.broker)
