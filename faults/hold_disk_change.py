"""A broker has told the controller on which disk a replica is, and does not hear that it knows."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import ASSIGN_REPLICAS_TO_DIRS
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldDiskChange:
    """Hold answers to AssignReplicasToDirs requests of `broker` (KIP-858, from 3.7 on).

    Until it is answered a broker does not put the copy of a replica that it has made on another
    disk in the place of the first one. For scenarios with gated_metadata, on KRaft. Healing
    delivers what stands, if the broker still waits for it.
    """

    broker: int

    needs: ClassVar = ("links", "gated_metadata")
    on_kafka: ClassVar = "hears_of_disks"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        told = Match(stage="response", apis=(ASSIGN_REPLICAS_TO_DIRS,), sender=self.broker)
        rule = cluster.gate.add(Rule(told))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
