"""When sends to a partition waited, and when some were acknowledged, by tenths of a second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from highwater.checkers.rows import Bools, Ints, Rows

TENTH_NS = 100_000_000
Tenths = tuple[int, int]  # since and until


@dataclass(slots=True)
class Progress:
    """Of one partition; `waiting` has how many more sends wait at a tenth than before it."""

    answered: set[int] = field(default_factory=set)
    waiting: Counter[int] = field(default_factory=Counter)

    def take_in(self, other: Progress) -> None:
        self.answered |= other.answered
        for at, change in other.waiting.items():
            self.waiting[at] += change


def progress_of(rows: Rows, place: Ints, sends: Bools) -> dict[int, Progress]:
    """By number of the partition; sends that were open when a part was written are told again."""
    ended = sends & rows.known("completed_ns")
    found = {number: Progress() for number in np.flatnonzero(np.bincount(place[sends])).tolist()}
    answered = ended & rows.is_word("outcome", "ok")
    tenths = rows["completed_ns"] // TENTH_NS
    for number, progress in found.items():
        progress.answered.update(_different(tenths[answered & (place == number)]).tolist())
    begun = -(-rows["invoked_ns"] // TENTH_NS)
    for row in np.flatnonzero(ended & (begun < tenths)):
        waiting = found[int(place[row])].waiting
        waiting[int(begun[row])] += 1
        waiting[int(tenths[row])] -= 1
    return found


def stalls(progress: Progress) -> Iterator[Tenths]:
    """Times in which sends waited and none was acknowledged, in their order."""
    answered = sorted(progress.answered)
    for since, until in _waits(progress.waiting):
        first, last = np.searchsorted(answered, (since, until))
        edges = [since - 1, *answered[first:last], until]
        for before, after in pairwise(edges):
            if after > before + 1:
                yield before + 1, after


def _waits(changes: Counter[int]) -> Iterator[Tenths]:
    waiting, since = 0, 0
    for at in sorted(changes):
        before, waiting = waiting, waiting + changes[at]
        if not before and waiting:
            since = at
        elif before and not waiting:
            yield since, at


def _different(tenths: Ints) -> Ints:
    """The different ones; most are the same as the one before."""
    if not len(tenths):
        return tenths
    changed = np.append(True, tenths[1:] != tenths[:-1])
    return np.unique(tenths[changed])
