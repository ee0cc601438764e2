"""A leader's answers stop reaching one follower, right after one that carried records.

The follower has the records, and will not hear that they are committed: its high watermark stays
one fetch behind, for as long as the fault is open instead of `replica.fetch.wait.max.ms`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HeldAnswers:
    rule: RuleHandle

    @property
    def proof(self) -> Mapping[str, Any]:
        return {"rule": self.rule.rule_id, **self.rule.counters()}


@dataclass(frozen=True, slots=True)
class HoldAnswers:
    """Hold Fetch answers from `leader` to `follower`, from the one after records on.

    Healing drops what is held: delivered late it would hand over the very high watermark that was
    withheld.
    """

    leader: int
    follower: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[HeldAnswers]:
        answers = Match(stage="response", apis=(FETCH,), leader=self.leader, follower=self.follower)
        with_records = Match(
            stage="response",
            apis=(FETCH,),
            leader=self.leader,
            follower=self.follower,
            with_records=True,
        )
        rule = cluster.gate.add(Rule(answers, after=with_records))
        try:
            yield HeldAnswers(rule)
        finally:
            rule.drop()
