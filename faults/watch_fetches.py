"""No fault at all: every fetch of a partition is reported and recorded as it passes the gate."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.model import TopicPartition


@dataclass(frozen=True, slots=True)
class WatchFetches:
    """Fetch requests and answers for `where`, between all brokers, go into `fetches`."""

    where: TopicPartition

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        match = Match(apis=(FETCH,), topic=self.where.topic, partition=self.where.partition)
        rule = cluster.gate.add(Rule(match, Action("watch")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
