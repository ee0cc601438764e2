"""No fault at all: answers to a follower that asks where an epoch ended are reported."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import OFFSETS_FOR_LEADER_EPOCH
from highwater.harness.gate.rules import Action, Match, Rule


@dataclass(frozen=True, slots=True)
class WatchEpochs:
    """OffsetsForLeaderEpoch answers to `follower`: one that is refused asks again."""

    follower: int

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        apis = (OFFSETS_FOR_LEADER_EPOCH,)
        answers = Match(stage="response", apis=apis, follower=self.follower)
        rule = cluster.gate.add(Rule(answers, Action("watch")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.remove()
