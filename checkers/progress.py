"""When sends to a partition waited, and when some were acknowledged, by tenths of a second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from highwater.checkers.rows import Bools, Ints, Rows, first_rows, numbered

TENTH_NS = 100_000_000
Tenths = tuple[int, int]  # since and until


@dataclass(slots=True)
class Progress:
    """Of one partition.

    `answered` has how many sends were acknowledged in a tenth, and `waiting` how many more wait at
    one than before it.
    """

    answered: Counter[int] = field(default_factory=Counter)
    waiting: Counter[int] = field(default_factory=Counter)

    def take_in(self, other: Progress) -> None:
        for mine, more in ((self.answered, other.answered), (self.waiting, other.waiting)):
            for at, change in more.items():
                mine[at] += change

    def wait(self, begun: Mapping[int, int], until: int) -> None:
        """So many more sends began to wait in each of these tenths, and do so until another."""
        for at, count in begun.items():
            if at < until:
                self.waiting[at] += count
                self.waiting[until] -= count


def progress_of(rows: Rows, place: Ints, sends: Bools) -> dict[int, Progress]:
    """By number of the partition; sends that were open when a part was written are told again.

    Nobody acknowledges sends with acks=0, and none waits.
    """
    ended = sends & rows.known("completed_ns") & ~rows.is_word("acks", "0")
    found = {number: Progress() for number in np.flatnonzero(np.bincount(place[sends])).tolist()}
    tenths = rows["completed_ns"] // TENTH_NS
    answered = np.flatnonzero(ended & rows.is_word("outcome", "ok"))
    numbers = numbered(place[answered], tenths[answered])
    first = answered[first_rows(numbers)]
    for row, count in zip(first.tolist(), np.bincount(numbers).tolist(), strict=True):
        found[int(place[row])].answered[int(tenths[row])] += count
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
