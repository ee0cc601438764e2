"""A follower's fetches stop before they reach the leader, from a given offset on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Match, Rule
from highwater.harness.model import TopicPartition


@dataclass(frozen=True, slots=True)
class HoldRequests:
    """Hold Fetch requests for `where` at or above `from_offset`.

    Healing lets them pass: two of these with growing offsets take a follower through its fetches
    one at a time.
    """

    leader: int
    follower: int
    where: TopicPartition
    from_offset: int = 0

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(
            stage="request",
            apis=(FETCH,),
            leader=self.leader,
            follower=self.follower,
            topic=self.where.topic,
            partition=self.where.partition,
            min_fetch_offset=self.from_offset,
        )
        rule = cluster.gate.add(Rule(requests))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
