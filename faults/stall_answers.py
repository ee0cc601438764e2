"""What a leader answers a follower is read in part: it cannot send the rest."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class StallAnswers:
    """Reading stops within the next Fetch answer of `leader` to `follower`, as on a full network.

    What the leader has written stands in the buffers of both sides, half a megabyte or so, and the
    answer stands when the kernel takes no more in. Of a larger one the rest is still in segment
    files, from which a broker sends as they are by then. Healing reads on.
    """

    leader: int
    follower: int

    needs: ClassVar = "links"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answer = Match(stage="response", apis=(FETCH,), leader=self.leader, follower=self.follower)
        rule = cluster.gate.add(Rule(answer, Action("stall"), Trigger("once")))
        try:
            yield AtTheGate(rule)
        finally:
            rule.pass_on()
