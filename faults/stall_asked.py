"""What a client asks of a broker is read in part: it cannot write the rest."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import ClassVar

from highwater.faults.asked import at_requests, require_asked, require_meant
from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.rules import Action, Trigger


@dataclass(frozen=True, slots=True)
class StallAsked:
    """Reading stops within requests of `api` ("Produce") of a client, as of a broker that hangs.

    `client` is a client.id: the name of a load, of a producer, or of a member of a group. What it
    has written stands in the buffers of both sides: half a megabyte where its library has a send
    buffer of 128 KB, as Java's, up to 4.4 MB where the kernel chooses; of a larger request it can
    write no more. `often` says which of the requests, `broker` of whom, None: of anybody. Healing
    reads on: what a client has written arrives, also of one that has closed its connection
    meanwhile, and a part of a request is heard by nobody. For clusters with gated_clients. Raises
    UsageError for what is no api, client.id, Trigger or broker.
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
        return at_requests(cluster, self, Action("stall"), self.broker)
