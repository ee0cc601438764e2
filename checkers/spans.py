"""Which offsets of a partition readers passed, from where each began to where it got, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from highwater.checkers.promises import EARLIEST, Promises
from highwater.checkers.rows import LAST, NONE, Bools, Ints, changes

if TYPE_CHECKING:
    from highwater.checkers.facts import Place, Reading

Range = tuple[int, int]  # the first and the last offset
Reader = tuple["Place", str]
AT_MOST = 1024  # steps of a reader that are kept of a block of offsets


@dataclass(frozen=True, slots=True)
class Steps:
    """Of a reader: first and last offsets of what its polls gave it; when they began and ended."""

    first: Ints
    last: Ints
    begun_ns: Ints
    ended_ns: Ints
    at_ns: Ints  # when they come to be, among others

    @classmethod
    def of(cls, offset: Ints, begun_ns: Ints, ended_ns: Ints) -> Self:
        """From records as they were handed out; of very many polls some are taken together."""
        at = np.flatnonzero(changes(begun_ns))
        if len(at) > AT_MOST:
            at = at[np.linspace(0, len(at) - 1, AT_MOST).astype(np.intp)]
        least, largest = np.minimum.reduceat, np.maximum.reduceat
        known_ns = np.where(ended_ns == NONE, LAST, np.maximum(begun_ns, ended_ns))
        begun, ended = least(begun_ns, at), largest(known_ns, at)
        return cls(least(offset, at), largest(offset, at), begun, ended, begun)

    @classmethod
    def to_the_end(cls, reading: Reading, end: int) -> Self:
        """A reader found that the log ends at this offset."""
        begun_ns, ended_ns = reading.invoked_ns, reading.completed_ns
        until_ns = begun_ns if ended_ns is None else max(begun_ns, ended_ns)
        numbers = end, end - 1, begun_ns, until_ns, until_ns
        return cls(*(np.array([number], np.int64) for number in numbers))

    def joined(self, *others: Steps) -> Steps:
        every = [self, *others]
        names = ("first", "last", "begun_ns", "ended_ns", "at_ns")
        return Steps(*(np.concatenate([getattr(each, name) for each in every]) for name in names))


@dataclass(frozen=True, slots=True)
class Passage:
    """Spans of offsets that a reader passed, each at some time between two moments, in order."""

    first: Ints
    last: Ints
    since_ns: Ints
    until_ns: Ints

    @classmethod
    def of(cls, steps: Steps, *, from_start: bool) -> Self:
        """A reader passes what lies between two polls, or a poll and an end, with the later one."""
        order = np.lexsort((steps.last, steps.first, steps.at_ns))  # whatever came in first
        first, last = steps.first[order], steps.last[order]
        came_to = np.append(0 if from_start else first[0], np.minimum(last[:-1], LAST - 1) + 1)
        since = np.maximum.accumulate(steps.begun_ns[order])
        return cls(np.minimum(first, came_to), last, since, steps.ended_ns[order])

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
    handed: Mapping[Reader, Steps], readings: Iterable[Reading], promises: Promises
) -> dict[Place, list[Passage]]:
    """How readers got through each partition, to the ends that they found.

    A reader began at offset 0 where `clients` says "earliest" and nothing is deleted by retention,
    else at the first offset that it was handed. Where one began that was handed nothing on its way
    to an end nobody knows.
    """
    steps = {reader: [mine] for reader, mine in handed.items()}
    for one in readings:
        if one.action == "end" and one.offset is not None and one.offset > 0:
            steps.setdefault((one.place, one.client), []).append(Steps.to_the_end(one, one.offset))
    found: dict[Place, list[Passage]] = defaultdict(list)
    for (place, client), (own, *others) in steps.items():
        from_start = promises.client(client).begins_at == EARLIEST and not promises.deletes
        found[place].append(Passage.of(own.joined(*others), from_start=from_start))
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
