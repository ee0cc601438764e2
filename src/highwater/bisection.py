"""Where along a line of releases an answer flips, in as few questions as there are bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Answer(StrEnum):
    """What the trials on one release come to."""

    FAILS = "fails"
    HOLDS = "holds"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What was played on one release."""

    kafka: str
    asked: int  # trials that have to hold
    failed: int
    held: int
    inconclusive: int
    reasons: Sequence[str] = field(default_factory=tuple)

    @property
    def answer(self) -> Answer:
        """One failure is enough: what was seen once happens. To hold takes all that was asked."""
        if self.failed:
            return Answer.FAILS
        return Answer.HOLDS if self.held >= self.asked else Answer.UNCLEAR

    @property
    def trials(self) -> int:
        return self.failed + self.held + self.inconclusive


def narrowed(low: int, high: int, ask: Callable[[int], Answer]) -> tuple[int, int]:
    """The two places between which the answer flips; what lies between them is unclear.

    `ask` has been asked of `low` and `high`, and the answers differed. A place that is unclear is
    passed over for its neighbours, and asked only once.
    """
    below = ask(low)
    unclear: set[int] = set()
    while left := [each for each in range(low + 1, high) if each not in unclear]:
        middle = min(left, key=lambda each: abs(2 * each - low - high))
        answer = ask(middle)
        if answer is Answer.UNCLEAR:
            unclear.add(middle)
        elif answer is below:
            low = middle
        else:
            high = middle
    return low, high
