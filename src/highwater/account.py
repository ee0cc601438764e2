"""What is said of a chaos test when its play is over and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SUITE_SCHEMA = 1  # of suite.json


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a play came to, when it was over and judged."""

    outcome: str  # passed, failed or inconclusive
    reason: str = ""  # a line
    text: str = ""  # all that is to be said, for the terminal
    violated: Sequence[Mapping[str, Any]] = ()  # as suite.json has them: see violations.Violation
    rewritten: Mapping[str, int] = field(default_factory=dict)  # answers of brokers, as in run.json


def above_limits(exceeded: Sequence[str], *more: str) -> Account:
    """A play in which no claim was violated, and in which something took longer than its test has.

    `exceeded` has a sentence for each limit.
    """
    others = len(exceeded) - 1
    left = f", and {others} more of its limits" if others else ""
    reason = f"above a limit: {exceeded[0]}{left}"
    lines = [f"above {'a limit' if not others else 'limits'}:", *exceeded, *more]
    return Account(outcome="failed", reason=reason, text="\n".join(lines))


def inconclusive(reason: str, *more: str) -> Account:
    """A play that proves nothing: pytest counts its test as failed, and the first word says why."""
    text = "\n".join([f"inconclusive: {reason}", *more])
    return Account(outcome="inconclusive", reason=reason, text=text)
