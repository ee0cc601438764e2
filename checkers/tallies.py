"""How many records a client sent or was handed, when, and how long it took: counted part by part.

Latencies are counted in buckets of which each is at most a 128th of its latency wide, so that what
is kept stays small whatever the record's size.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from highwater.checkers.facts import Place
from highwater.checkers.parts import POLL, SEND, Values
from highwater.checkers.rows import LAST, NONE, Ints, alike, first_rows, groups, numbered

SECOND_NS = 10**9
SLOT_NS = 10**7  # of two acknowledgements in one slot only the first and the last are kept
MANTISSA_BITS = 8
UNTOLD = -1  # a latency that nobody knows
OUTCOMES = ("ok", "failed", "unknown")
ACKED, FAILED, UNKNOWN, HANDED = "acked", "failed", "unknown", "handed"
ENDED = (ACKED, FAILED, UNKNOWN, HANDED)


class Series(NamedTuple):
    """Records of one client in one partition that ended alike."""

    client: str
    place: Place
    ended: str


@dataclass(slots=True)
class Tally:
    """Of one series.

    `counts` has rows of a second, a bucket of latency, and how many. `slots` has rows of a slot,
    the first and the last end in it, and the first moment from which one of them was waited for: a
    send from when it was due. `begun_ns` is when the first of these records began.
    """

    counts: list[Ints] = field(default_factory=list)
    slots: list[Ints] = field(default_factory=list)
    begun_ns: int = LAST

    def take_in(self, other: Tally) -> None:
        self.counts += other.counts
        self.slots += other.slots
        self.begun_ns = min(self.begun_ns, other.begun_ns)


@dataclass(slots=True)
class Tallies:
    """Of a run, or of a part of it."""

    of: dict[Series, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def take_in(self, other: Tallies) -> None:
        for series, tally in other.of.items():
            self.of[series].take_in(tally)


def tallied(part: Values) -> Tallies:
    """What ended, at a known time. Nobody acknowledges sends with acks=0, so they are left out."""
    ending = _endings(part)
    ended_ns, since_ns = part.ended_ns, _since(part)
    is_known = (ended_ns != NONE) & (ended_ns != LAST) & ~part.ran_backwards
    rows = np.flatnonzero((ending != NONE) & is_known & part.known("client"))
    found = Tallies()
    if not len(rows):
        return found
    ending, ended_ns, since_ns = ending[rows], ended_ns[rows], since_ns[rows]
    is_told = (since_ns != NONE) & (since_ns <= ended_ns)
    bucket = np.where(is_told, buckets(ended_ns - np.where(is_told, since_ns, ended_ns)), UNTOLD)
    second, slot = ended_ns // SECOND_NS, ended_ns // SLOT_NS
    waited_ns = np.where(is_told & part.is_kind(SEND)[rows], since_ns, part["invoked_ns"][rows])
    waited_ns = np.minimum(waited_ns, part["invoked_ns"][rows])
    for of_one in groups(alike(part["client"][rows], part["place"][rows], ending)):
        first = rows[of_one[0]]
        client, kind = str(part.text("client", first)), ENDED[ending[of_one[0]]]
        found.of[Series(client, part.place(first), kind)] = Tally(
            counts=[_counted(second[of_one], bucket[of_one])],
            slots=[_slotted(slot[of_one], ended_ns[of_one], waited_ns[of_one])],
            begun_ns=int(part["invoked_ns"][rows[of_one]].min()),
        )
    return found


def buckets(latency_ns: Ints) -> Ints:
    """In which bucket each latency belongs: its leading bits, and how many more it has."""
    shift = np.maximum(np.frexp(latency_ns.astype(np.float64))[1] - MANTISSA_BITS, 0)
    shift = shift.astype(np.int64)
    found: Ints = (shift << (MANTISSA_BITS - 1)) + (latency_ns >> shift)
    return found


def longest_ns(bucket: Ints) -> Ints:
    """The longest latency that belongs in each bucket."""
    half = 1 << (MANTISSA_BITS - 1)
    shift = np.maximum(bucket // half - 1, 0)
    found: Ints = ((bucket - shift * half + 1) << shift) - 1
    return found


def _endings(part: Values) -> Ints:
    """For each row which of ENDED it is; NONE for what is none of them."""
    found = np.where(part.is_kind(POLL), ENDED.index(HANDED), NONE)
    for number, outcome in enumerate(OUTCOMES):
        mine = part.is_kind(SEND) & part.is_word("outcome", outcome) & ~part.is_word("acks", "0")
        found[mine] = number
    return found


def _since(part: Values) -> Ints:
    """When a send was due, and for a poll the first send of its value; NONE where nobody knows."""
    due = np.where(part.known("intended_ns"), part["intended_ns"], part["invoked_ns"])
    sends = part.is_kind(SEND) & part.known("value")
    by_value = part.by_value_here
    first = by_value.spread(by_value.least(due, sends))
    return np.where(part.is_kind(SEND), due, np.where(part.known("value"), first, NONE))


def _counted(second: Ints, bucket: Ints) -> Ints:
    both = numbered(second, bucket)
    first = first_rows(both)
    return np.stack([second[first], bucket[first], np.bincount(both)])


def _slotted(slot: Ints, ended_ns: Ints, waited_ns: Ints) -> Ints:
    number = numbered(slot)
    first = first_rows(number)
    (least, since), most = np.full((2, len(first)), LAST), np.full(len(first), NONE)
    np.minimum.at(least, number, ended_ns)
    np.maximum.at(most, number, ended_ns)
    np.minimum.at(since, number, waited_ns)
    return np.stack([slot[first], least, most, since])
