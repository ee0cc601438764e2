"""A leader's answers stop reaching one follower, perhaps right after one that carried records.

The follower has the records, and will not hear that they are committed: its high watermark stays
one fetch behind, for as long as the fault is open instead of `replica.fetch.wait.max.ms`.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.voters import no_leaders
from highwater.harness.cluster import Cluster
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rules import Match, Rule


@dataclass(frozen=True, slots=True)
class HoldAnswers:
    """Hold Fetch answers from `leader` to `follower`; by default from the one after records on.

    Healing drops what is held: delivered late it would hand over the very high watermark that was
    withheld. With `deliver` it is delivered after all. A `leader` of None is whoever leads, and a
    `topic` leaves answers alone that say nothing of it.
    """

    leader: int | None
    follower: int
    after_records: bool = True
    deliver: bool = False
    topic: str | None = None

    needs: ClassVar = "links"

    def __repr__(self) -> str:
        """As it stands on timelines: without a topic where it means all."""
        names = [each.name for each in fields(self) if each.name != "topic" or self.topic]
        return f"HoldAnswers({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        answers = Match(
            stage="response", apis=(FETCH,), leader=self.leader, follower=self.follower,
            topic=self.topic, spared=no_leaders(cluster) if self.leader is None else (),
        )  # fmt: skip
        with_records = replace(answers, with_records=True)
        rule = cluster.gate.add(Rule(answers, after=with_records if self.after_records else None))
        try:
            yield AtTheGate(rule)
        finally:
            if self.deliver:
                rule.pass_on()
            else:
                rule.drop()
