"""When sends to a partition waited, and when some were acknowledged, by tenths of a second."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from highwater.checkers.rows import NONE, Bools, Ints, Rows, first_rows, numbered
from highwater.harness.refusals import is_of_the_record

TENTH_NS = 100_000_000
PAUSE_TENTHS = 10
STALLED_TENTHS = 300
Tenths = tuple[int, int]  # since and until


@dataclass(slots=True)
class Progress:
    """Of one partition.

    `answered` has how many sends were acknowledged in a tenth, and `waiting` how many more wait at
    one than before it; `asked` is how many there are that wait for an acknowledgement at all. Up to
    the tenth `told` somebody was told what had become of a send that is not asked: one that was
    refused for its own sake, or ended with its transaction.
    """

    answered: Counter[int] = field(default_factory=Counter)
    waiting: Counter[int] = field(default_factory=Counter)
    asked: int = 0
    told: int = NONE

    def take_in(self, other: Progress) -> None:
        self.asked += other.asked
        self.told = max(self.told, other.told)
        for mine, more in ((self.answered, other.answered), (self.waiting, other.waiting)):
            for at, change in more.items():
                mine[at] += change

    def copy(self) -> Progress:
        return Progress(Counter(self.answered), Counter(self.waiting), self.asked)

    @property
    def without_waits(self) -> Progress:
        """Of sends in transactions, which end with a commit: what was acknowledged, no more."""
        return Progress(self.answered)

    def wait(self, begun: Mapping[int, int], until: int) -> None:
        """So many more sends began to wait in each of these tenths, and do so until another."""
        for at, count in begun.items():
            if at < until:
                self.waiting[at] += count
                self.waiting[until] -= count


def progress_of(rows: Rows, place: Ints, sends: Bools) -> dict[tuple[int, int], Progress]:
    """By numbers of partition and client; sends that were open when a part was written come again.

    Nobody acknowledges sends with acks=0, and none waits; nor does what is refused for itself, by
    which nobody knows more than that its client was there. What ends with its transaction does not
    wait for its partition, but is acknowledged with it.
    """
    asked = np.flatnonzero(sends)
    where, client = place[asked], rows["client"][asked]
    own = numbered(where, client)
    first = first_rows(own)
    told = (rows.known("completed_ns") & ~rows.is_word("acks", "0"))[asked]
    unasked = told & (_refused(rows) | rows.known("transaction"))[asked]
    ended = told & ~unasked
    progress = [
        Progress(asked=int(count)) for count in np.bincount(own[ended], minlength=len(first))
    ]
    tenths = rows["completed_ns"][asked] // TENTH_NS
    answered = told & rows.is_word("outcome", "ok")[asked]
    for number, at, count in _counted(own[answered], tenths[answered]):
        progress[number].answered[at] += count
    # One that was acknowledged waited in tenths that it filled; one in vain in all that it touched.
    begun = np.where(answered, -(-rows["invoked_ns"][asked] // TENTH_NS),
                     rows["invoked_ns"][asked] // TENTH_NS)  # fmt: skip
    until = np.where(answered, tenths, tenths + 1)
    heard = unasked & (begun < until)
    for number, at, _ in _counted(own[heard], until[heard]):
        progress[number].told = max(progress[number].told, at)
    waits = ended & (begun < until)
    for number, at, count in _counted(own[waits], begun[waits]):
        progress[number].waiting[at] += count
    for number, at, count in _counted(own[waits], until[waits]):
        progress[number].waiting[at] -= count
    keys = zip(where[first].tolist(), client[first].tolist(), strict=True)
    return dict(zip(keys, progress, strict=True))


def _refused(rows: Rows) -> Bools:
    """Sends that failed for the record's own sake: they say nothing of the partition."""
    words = rows.words["error"]
    known = np.array([*(is_of_the_record(str(word)) for word in words), False], bool)
    if not known.any():
        return np.zeros(len(rows["error"]), bool)
    of_row: Bools = known[np.where(rows["error"] == NONE, len(words), rows["error"])]
    return of_row & rows.is_word("outcome", "failed")


def _counted(numbers: Ints, tenths: Ints) -> Iterator[tuple[int, int, int]]:
    """How many rows have each number in each tenth."""
    both = numbered(numbers, tenths)
    first = first_rows(both)
    found = (numbers[first], tenths[first], np.bincount(both))
    yield from zip(*(each.tolist() for each in found), strict=True)


def stalls(progress: Progress) -> Iterator[Tenths]:
    """Times in which sends waited and none was acknowledged, in their order."""
    answered = sorted(progress.answered)
    for since, until in _waits(progress.waiting):
        first, last = (bisect_left(answered, at) for at in (since, until))
        edges = [since - 1, *answered[first:last], until]
        for before, after in pairwise(edges):
            if after > before + 1:
                yield before + 1, after


def long_stalls(progress: Progress, linger_ms: int) -> list[Tenths]:
    """Those that are too long of whoever collects records for so long before they are sent."""
    least = STALLED_TENTHS - -linger_ms * 1_000_000 // TENTH_NS
    return [(since, until) for since, until in stalls(progress) if until - since >= least]


def longest_stall(progress: Progress) -> int:
    """In tenths."""
    return max((until - since for since, until in stalls(progress)), default=0)


def _waits(changes: Counter[int]) -> Iterator[Tenths]:
    """When sends waited; who tries again within a second has not ceased to."""
    waiting, since, until = 0, None, 0
    for at in sorted(changes):
        before, waiting = waiting, waiting + changes[at]
        if not before and waiting:
            if since is not None and at > until + PAUSE_TENTHS:
                yield since, until
                since = None
            since = at if since is None else since
        elif before and not waiting:
            until = at
    if since is not None:
        yield since, until
