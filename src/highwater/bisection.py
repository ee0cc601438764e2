"""Where along a line of releases an answer flips, in as few questions as there are bits.

A fix goes into several lines of releases at once, and whoever is first by number need not be first
by day: 4.3.0 is older than 4.2.2. A flip says nothing of these, so that they are asked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise


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


def every_flip(
    low: int,
    high: int,
    ask: Callable[[int], Answer],
    suspects: Callable[[tuple[int, int]], Iterable[tuple[int, int]]],
) -> list[tuple[int, int]]:
    """All the pairs of places between which the answer is known to flip.

    The first one is that which is found between `low` and `high`; others are in the line's order.
    `ask` has been asked of `low` and `high`, and the answers differed. `suspects` has the places
    that may answer otherwise than a flip would have it, each with one to ask if it does: where it
    may be as it was again. They may lie anywhere in the line.
    """
    asked, flip = {low, high}, narrowed(low, high, ask)
    while True:
        told = [each for each in sorted(asked) if ask(each) is not Answer.UNCLEAR]
        pairs = [pair for pair in pairwise(told) if ask(pair[0]) is not ask(pair[1])]
        found = [narrowed(*pair, ask) for pair in pairs]
        more = {place for flip in found for place in (*flip, *_asked(flip, ask, suspects(flip)))}
        if more <= asked:
            return [flip, *(each for each in found if each != flip)]
        asked |= more


def _asked(
    flip: tuple[int, int], ask: Callable[[int], Answer], suspects: Iterable[tuple[int, int]]
) -> Iterator[int]:
    last, first = flip
    for near, far in suspects:
        yield near
        expected = ask(last if near < last else first)
        if ask(near) not in {expected, Answer.UNCLEAR}:
            yield far
