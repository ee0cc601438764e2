"""What a fault at the gate can show: its rule, what came to it, and what stands there now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from highwater.harness.gate.handle import RuleHandle

STAND_TIMEOUT_S = 40.0  # an old broker may take 30 s to stop a fetcher that waits for an answer


@dataclass(frozen=True, slots=True)
class AtTheGate:
    """`proof` counts what the rule has matched so far, and what was done with it."""

    rule: RuleHandle

    @property
    def proof(self) -> Mapping[str, Any]:
        return {"rule": self.rule.rule_id, **self.rule.counters()}

    def await_standing(self) -> Mapping[str, Any]:
        """Wait until a frame stands at the gate; raises DeadlineError."""
        return self.rule.standing(STAND_TIMEOUT_S)

    def await_seen(self) -> Mapping[str, Any]:
        """Wait until a watched frame has gone on; raises DeadlineError."""
        return self.rule.seen(STAND_TIMEOUT_S)

    def await_answered(self) -> Mapping[str, Any]:
        """Wait until an error has taken the place of an answer; raises DeadlineError."""
        return self.rule.wait("answered", STAND_TIMEOUT_S)
