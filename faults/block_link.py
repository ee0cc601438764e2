"""One follower cannot fetch from one leader, and nobody notices: the link just stands still."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.rules import link_blocked

STAND_TIMEOUT_S = 40.0


@dataclass(frozen=True, slots=True)
class BlockedLink:
    """A link that is blocked; `proof` counts what came to the gate so far."""

    rule: RuleHandle
    follower: int

    @property
    def proof(self) -> Mapping[str, Any]:
        return {"rule": self.rule.rule_id, **self.rule.counters()}

    def await_standing(self) -> Mapping[str, Any]:
        """Wait until a frame of the follower stands at the gate; raises DeadlineError."""
        return self.rule.standing(STAND_TIMEOUT_S, follower=self.follower)


@dataclass(frozen=True, slots=True)
class BlockLink:
    """Every request and answer of the fetcher's connections is held, whatever its api.

    Healing discards what is held and closes those connections: the follower then asks anew.
    """

    follower: int
    leader: int

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[BlockedLink]:
        rule = cluster.gate.add(link_blocked(follower=self.follower, leader=self.leader))
        try:
            yield BlockedLink(rule, self.follower)
        finally:
            rule.drop()
