"""What is said of a chaos test when its play is over and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a play came to, when it was over and judged."""

    outcome: str  # passed, failed or inconclusive
    reason: str = ""  # a line
    text: str = ""  # all that is to be said, for the terminal
    violated: Sequence[Mapping[str, Any]] = ()  # as suite.json has them: see violations.Violation


def inconclusive(reason: str, *more: str) -> Account:
    """A play that proves nothing: pytest counts its test as failed, and the first word says why."""
    text = "\n".join([f"inconclusive: {reason}", *more])
    return Account(outcome="inconclusive", reason=reason, text=text)
