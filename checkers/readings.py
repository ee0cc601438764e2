"""What claims about readers share: parts note something of a reading, and that is put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from highwater.checkers.facts import Facts, Place, Reading
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import LAST, NONE, Bools, Ints, numbered

BACKWARDS = "a clock ran backwards"

Decided = Witness | str | None  # what is wrong, why nobody can tell, or that all is well
First = tuple[int, int]  # an offset, and the value there


def decided(
    found: Findings, facts: Facts, decide: Callable[[Reading, list[Any]], Decided], *actions: str
) -> Findings:
    """Asks of each reading with one of these actions what all parts have noted of it."""
    for at, reading in enumerate(facts.readings):
        if reading.action not in actions:
            continue
        said = decide(reading, found.notes.get(at, []))
        found.considered += 1
        if isinstance(said, str):
            found.doubt(said, 1)
        elif said is not None:
            found.one_anomaly({**reading.as_witness, **said})
    return found


def committed_since(part: Values) -> Ints:
    """For each send since when its record is known to be committed; LAST where it is not known.

    A record is when its send was acknowledged with acks=all, or when a reader had been handed it:
    none is handed what lies above the high watermark. Of a value that was sent more than once that
    is the record where the send's own stands.
    """
    acknowledged = part.acknowledged & part.known("completed_ns") & ~part.ran_backwards
    since = np.where(acknowledged, part["completed_ns"], LAST)
    polls = part.polled & ~part.ran_backwards
    if not polls.any():
        return since
    first: Ints = part.by_value_here.spread(part.by_value_here.least(part.ended_ns, polls))
    first = np.where(first == NONE, LAST, first)
    sends = part.is_kind(SEND) & (~part.is_word("outcome", "invoked") | part.open)
    rows = np.flatnonzero(part.by_value_here.spread(part.by_value_here.count(sends) > 1))
    if len(rows):
        first[rows] = _handed_there(part, rows, polls)
    earlier: Ints = np.minimum(since, first)
    return earlier


def _handed_there(part: Values, rows: Ints, polls: Bools) -> Ints:
    """For each of these rows when a reader was first handed its value at its offset, or LAST."""
    offset = stand_at(part, part.is_kind(SEND))[rows]
    records = numbered(part["value"][rows], part["place"][rows], offset)
    found = np.full(int(records.max()) + 1, LAST)
    here = polls[rows]
    np.minimum.at(found, records[here], part.ended_ns[rows[here]])
    there: Ints = found[records]
    return there


def end_below(part: Values) -> Bools:
    """Committed sends at or above what a reader that began later took for the end.

    Those that some reader was handed after that are not among them.
    """
    found = np.zeros(len(part["offset"]), bool)
    handed = None
    for _, reading, rows in hidden(part):
        if not reading.ran_backwards and reading.completed_ns is not None:
            if handed is None:
                last = part.by_value_here.largest(part.ended_ns, part.polled)
                handed = part.by_value_here.spread(last)
            found[rows] |= handed[rows] <= reading.completed_ns
    return found


def hidden(part: Values, action: str = "end") -> Iterator[tuple[int, Reading, Ints]]:
    """For each reading that got to an end which of the part's sends it ought to have found.

    Or of those that stood still. What this very reader had been handed by then, below its end, is
    not hidden from it: the send was acknowledged at another offset than its record has.
    """
    ends = [
        (at, one, one.offset)
        for at, one in enumerate(part.facts.readings)
        if one.action == action and one.offset is not None and one.offset >= 0
    ]
    lowest: dict[Place, int] = {}
    for _, one, end in ends:
        lowest[one.place] = min(end, lowest.get(one.place, LAST))
    sends = part.is_kind(SEND) & (part.is_word("outcome", "ok", "unknown") | part.open)
    if action == "end":  # else it need not be found anywhere
        sends &= part.known("value")
    from_here = part.of_place(lambda place: lowest.get(place, LAST))
    stands = stand_at(part, sends & (from_here < LAST))
    above = np.flatnonzero(sends & (stands >= from_here))
    if not len(above):
        return
    where, offset, since = part["place"][above], stands[above], committed_since(part)[above]
    for at, one, end in ends:
        if one.place in part.places:
            here = where == part.places.index(one.place)
            missed = above[here & (offset >= end) & (since < one.invoked_ns)]
            if len(missed):
                before = LAST if one.completed_ns is None else one.completed_ns
                own = part.polled & part.is_word("client", one.client) & (part["offset"] < end)
                own &= part.ended_ns <= before
                missed = missed[~part.by_value_here.anywhere(own)[missed]]
            if len(missed):
                yield at, one, missed


def stand_at(part: Values, asked: Bools) -> Ints:
    """Where the records of sends stand: where the broker said, or else where readers found them."""
    untold = asked & (part["offset"] < 0)
    if not (untold & part.read).any():
        return part["offset"]
    handed = part.by_value_here.spread(part.by_value_here.largest(part["offset"], part.polled))
    return np.where(untold, handed, part["offset"])


def first_of(part: Values, rows: Ints) -> First | None:
    """Of some sends the lowest offset that a record has, and the smallest value there, or NONE."""
    if not len(rows):
        return None
    offset, value = stand_at(part, part.is_kind(SEND))[rows], part["value"][rows]
    first = int(offset.min())
    return first, int(value[offset == first].min())
