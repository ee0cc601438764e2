"""A marker of a transaction is late: it comes after the one that was sent in its place."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.late import deliver
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import WRITE_TXN_MARKERS
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class LateMarker:
    """The next WriteTxnMarkers from one coordinator to one leader is held, and no other one.

    The coordinator asks again when request.timeout.ms is over, and is answered. What is held stays
    under way although the coordinator has closed its connection. Healing delivers it, and waits
    until it is answered.
    """

    coordinator: int
    leader: int
    needs: ClassVar = "links"
    on_kafka: ClassVar = "has_record_batches"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        asked = Match(
            "request",
            apis=(WRITE_TXN_MARKERS,),
            sender=self.coordinator,
            leader=self.leader,
        )
        since, hold = cluster.gate.mark(), Action("hold", keep_after_close=True)
        rule = cluster.gate.add(Rule(asked, hold, Trigger("once")))
        try:
            yield AtTheGate(rule)
        finally:
            deliver(cluster, rule, since)
