"""Which offsets of a partition readers passed, from where each began to where it got, and when."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from highwater.checkers.promises import Promises
from highwater.checkers.rows import LAST, NONE, Bools, Ints, changes

if TYPE_CHECKING:
    from highwater.checkers.facts import Place, Reading

Range = tuple[int, int]  # the first and the last offset
Reader = tuple["Place", str]
Block = tuple["Place", str, int]  # of the offsets that a reader was handed
Passages = Mapping["Place", Sequence["Passage"]]
AT_MOST = 1024  # steps of a reader that are kept of a block of offsets
TIME_BITS = 63


@dataclass(frozen=True, slots=True)
class Steps:
    """Of a reader: first and last offsets of what its polls gave it; when they began and ended.

    Of very many polls those are taken together that began in the same span of 2**`bits`
    nanoseconds, and count as begun and ended with the first of them: so nothing is taken to have
    been passed later than it was. That is the same whatever their order, and however they are cut.
    """

    first: Ints
    last: Ints
    begun_ns: Ints
    ended_ns: Ints
    at_ns: Ints  # when they come to be, among others
    bits: int = field(default=0, kw_only=True)

    @classmethod
    def of(cls, offset: Ints, begun_ns: Ints, ended_ns: Ints) -> Self:
        """From records of one block of offsets as they were handed out."""
        known_ns = np.where(ended_ns == NONE, LAST, np.maximum(begun_ns, ended_ns))
        return cls(offset, offset, begun_ns, known_ns, begun_ns).taken_together(0)

    @classmethod
    def to_the_end(cls, reading: Reading, end: int) -> Self:
        """A reader found that the log ends at this offset."""
        begun_ns, ended_ns = reading.invoked_ns, reading.completed_ns
        until_ns = begun_ns if ended_ns is None else max(begun_ns, ended_ns)
        numbers = end, end - 1, begun_ns, until_ns, until_ns
        return cls(*(np.array([number], np.int64) for number in numbers))

    @classmethod
    def one_after_another(cls, several: Sequence[Steps]) -> Self:
        """Of different blocks, and to ends."""
        names = ("first", "last", "begun_ns", "ended_ns", "at_ns")
        return cls(*(np.concatenate([getattr(one, name) for one in several]) for name in names))

    def joined(self, other: Steps) -> Self:
        """With those that another part of the record has of the same block."""
        both = self.one_after_another([self, other])
        return both.taken_together(max(self.bits, other.bits))

    def taken_together(self, least_bits: int) -> Self:
        """At most so many as are kept, in the order in which they began."""
        in_order = bool((self.begun_ns[1:] >= self.begun_ns[:-1]).all())
        order = slice(None) if in_order else np.argsort(self.begun_ns, kind="stable")
        begun = self.begun_ns[order]

        def starts(bits: int) -> npt.NDArray[np.intp]:
            return np.flatnonzero(changes(begun >> bits))

        some = range(least_bits, TIME_BITS)
        bits = least_bits + bisect_left(some, True, key=lambda each: len(starts(each)) <= AT_MOST)
        at = starts(bits)
        least, largest = np.minimum.reduceat, np.maximum.reduceat
        first, last = least(self.first[order], at), largest(self.last[order], at)
        return type(self)(
            first, last, begun[at], least(self.ended_ns[order], at), begun[at], bits=bits
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """Spans of offsets that a reader passed, each at some time between two moments, in order."""

    client: str
    first: Ints
    last: Ints
    since_ns: Ints
    until_ns: Ints

    @classmethod
    def of(cls, client: str, several: Sequence[Steps], *, from_start: bool) -> Self:
        """A reader passes what lies between two polls, or a poll and an end, with the later one."""
        steps = Steps.one_after_another(several)
        # Whatever came in first: of one moment, a reader goes forward.
        order = np.lexsort((steps.last, steps.first, steps.at_ns))
        first, last = steps.first[order], steps.last[order]
        came_to = np.append(0 if from_start else first[0], np.minimum(last[:-1], LAST - 1) + 1)
        since = np.maximum.accumulate(steps.begun_ns[order])
        return cls(client, np.minimum(first, came_to), last, since, steps.ended_ns[order])

    @property
    def reach(self) -> list[Range]:
        """From where it began to where it got, however often it went; nothing where it did not."""
        reach = int(self.first.min()), int(self.last.max())
        return [reach] if reach[0] <= reach[1] else []

    def take_in(self, offsets: Ints, moments: Ints, latest: Ints) -> None:
        """Note, of offsets in their order, the latest of these moments, of spans that have them."""
        begins = np.searchsorted(offsets, self.first)
        ends = np.searchsorted(offsets, self.last, "right")
        for span in np.flatnonzero(begins < ends):
            here = slice(begins[span], ends[span])
            latest[here] = np.maximum(latest[here], moments[span])


def passages_of(
    handed: Mapping[Block, Steps],
    readings: Iterable[Reading],
    promises: Promises,
    is_asked: Callable[[Reader], bool] = lambda _: True,
) -> dict[Place, list[Passage]]:
    """How readers got through each partition, to the ends that they found.

    A reader that is no member of a group began at offset 0 where `clients` says "earliest" and
    nothing is deleted by retention, else at the first offset that it was handed. Where one began
    that was handed nothing on its way to an end nobody knows.
    """
    steps: dict[Reader, list[Steps]] = defaultdict(list)
    for (place, client, _), mine in handed.items():
        if is_asked((place, client)):
            steps[place, client].append(mine)
    for one in filter(lambda one: is_asked(one.reader), readings):
        if one.action == "end" and one.offset is not None and one.offset > 0:
            steps[one.place, one.client].append(Steps.to_the_end(one, one.offset))
    found: dict[Place, list[Passage]] = defaultdict(list)
    for (place, client), own in steps.items():
        from_start = promises.begins_at_0(client, place[0])
        found[place].append(Passage.of(client, own, from_start=from_start))
    return found


def timely_passages_of(
    handed: Mapping[Block, Steps],
    readings: Sequence[Reading],
    promises: Promises,
    backwards: Collection[Reader],
) -> tuple[Passages, Passages]:
    """The same of readers whose clocks did not run backwards, and of those among them that are not
    known to read uncommitted records.
    """
    loud = promises.uncommitted
    timely = passages_of(handed, readings, promises, lambda one: one not in backwards)
    as_committed = passages_of(
        handed, readings, promises, lambda one: one not in backwards and one[1] not in loud
    )
    return timely, as_committed


def moments_of(
    passages: Sequence[Passage], offsets: Ints, moments: Callable[[Passage], Ints]
) -> Ints:
    """For each of these offsets the latest moment of a span that has it; NONE where none has."""
    order = np.argsort(offsets, kind="stable")
    latest, there = np.full((2, len(offsets)), NONE)
    there[:] = offsets[order]
    for passage in passages:
        passage.take_in(there, moments(passage), latest)
    found = np.empty(len(offsets), np.int64)
    found[order] = latest
    return found


def within(offsets: Ints, spans: Sequence[Range]) -> Bools:
    """Which of these offsets lie in one of the spans."""
    if not spans:
        return np.zeros(len(offsets), bool)
    firsts, lasts = np.array(spans, np.int64).T
    at = np.searchsorted(firsts, offsets, "right") - 1
    found: Bools = (at >= 0) & (offsets <= lasts[at])
    return found


def merged(spans: Iterable[Range]) -> list[Range]:
    """The same offsets in as few spans as possible, in their order."""
    found: list[Range] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def spans_of(offsets: Ints) -> list[Range]:
    """Offsets as spans."""
    ordered = np.unique(offsets)
    if not len(ordered):
        return []
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 2) > 1)
    lasts = np.append(begins[1:], len(ordered)) - 1
    return list(zip(ordered[begins].tolist(), ordered[lasts].tolist(), strict=True))
