"""Where along a line of releases an answer flips, in as few questions as there are bits.

A fix goes into several lines of releases at once, and whoever is first by number need not be first
by day: 4.3.0 is older than 4.2.2. A flip says nothing of these, so that they are asked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from highwater.harness.versions.catalogue import Kafka


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


@dataclass(frozen=True, slots=True)
class Suspects:
    """Of one line of releases: places on the wrong side of a flip by their day, and the others.

    All begin with the one to ask first: `near` next to the flip, `far` where it may be as it was,
    and then the next line's nearest.
    """

    near: Sequence[int]
    far: Sequence[int]


def every_flip(
    low: int,
    high: int,
    ask: Callable[[int], Answer],
    suspects: Callable[[tuple[int, int]], Iterable[Suspects]],
) -> Iterator[list[tuple[int, int]]]:
    """All the pairs of places between which the answer is known to flip, as more of them are found.

    The first pair is that which is found between `low` and `high`; others are in the line's order,
    and may lie beyond. `ask` has been asked of both ends, and the answers differed.
    """
    known: dict[int, Answer] = {}

    def note(place: int) -> Answer:
        known[place] = ask(place)
        return known[place]

    note(high)
    flip = narrowed(low, high, note)
    found, there = [flip], 0
    while there != len(known):
        yield [flip, *(each for each in found if each != flip)]
        for each in found:
            _ask_suspects(each, note, suspects(each))
        there = len(known)
        told = [place for place, answer in sorted(known.items()) if answer is not Answer.UNCLEAR]
        pairs = [pair for pair in pairwise(told) if known[pair[0]] is not known[pair[1]]]
        found = [narrowed(*pair, note) for pair in pairs]
    yield [flip, *(each for each in found if each != flip)]


def _ask_suspects(
    flip: tuple[int, int], note: Callable[[int], Answer], suspects: Iterable[Suspects]
) -> None:
    last, first = flip
    for line in suspects:
        expected = note(last if line.near[0] < last else first)
        if _first_told(line.near, note) not in {expected, None}:
            any(note(place) is expected for place in line.far)


def _first_told(places: Iterable[int], note: Callable[[int], Answer]) -> Answer | None:
    """Of the first place that is clear; None for none."""
    answers = map(note, places)
    return next((answer for answer in answers if answer is not Answer.UNCLEAR), None)


def out_of_order(line: Sequence[Kafka], flip: tuple[int, int]) -> list[Suspects]:
    """What a flip says nothing of: releases of other lines, not as old as their number says.

    A change came between the days on which the two neighbours of the flip were built, or before
    both. It may be missing in a release of a higher number that was built before the later of these
    days, and be there in one of a lower number that was built after the earlier one.
    """
    last, first = (line[place] for place in flip)
    days = [each.row.built for each in (last, first) if each.row.built]
    others: dict[str, list[int]] = {}  # by line, those next to the flip first
    for place in (*reversed(range(flip[0])), *range(flip[1] + 1, len(line))):
        if line[place].line not in {last.line, first.line}:
            others.setdefault(line[place].line, []).append(place)
    found = []
    for places in others.values():
        near = [
            place
            for place in places
            if (day := line[place].row.built)
            and days
            and (day < max(days) if place > flip[1] else day > min(days))
        ]
        if near:
            outward = places[-1] + (1 if places[-1] > flip[1] else -1)
            beyond = [outward] if 0 <= outward < len(line) else []
            found.append(Suspects(near, [places[-1], *beyond]))
    return found
