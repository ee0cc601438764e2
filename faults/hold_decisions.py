"""What the controller decides does not reach one broker, which goes on as it was told last."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.links import CutLinks
from highwater.faults.voters import require_gates
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH, LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldDecisions:
    """Hold a controller's requests (ZooKeeper), or a broker's fetches of the metadata log (KRaft).

    For scenarios with gated_metadata. The broker's session goes on. Healing delivers what is held.
    """

    broker: int

    needs: ClassVar = ("links", "nodes", "gated_metadata")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[CutLinks]:
        with ExitStack() as stack:
            rules = {}
            for asker, asked, match in self._matches(cluster):
                rule = cluster.gate.add(Rule(match))
                stack.callback(rule.pass_on)
                rules[asker, asked] = rule
            yield CutLinks(rules)

    def _matches(self, cluster: Cluster) -> Sequence[tuple[int, int, Match]]:
        mine, voters = self.broker, cluster.nodes.voters
        if not cluster.kafka.kraft:
            orders = (LEADER_AND_ISR, STOP_REPLICA, UPDATE_METADATA)
            home = cluster.nodes.controller
            return [(home, mine, Match(stage="request", apis=orders, leader=mine))]
        require_gates(cluster, [(mine, voter) for voter in voters])
        return [(mine, each, Match(apis=(FETCH,), sender=mine, leader=each)) for each in voters]
