"""How far partitions' logs have ever reached, by all that is told of records in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from highwater.checkers.attempts import may_be_repeated, sent_once
from highwater.checkers.facts import Facts, Place
from highwater.checkers.parts import LOG, SEND, Values
from highwater.checkers.reach import is_settled
from highwater.checkers.rows import Bools

RECORD_AND_MARKER = 2
UNSETTLED = "the replicas had not settled when the final read was made"
UNWRITTEN = "nobody is known to have sent to its topic, and what others sent may be gone"
UNPLACED = "what was sent, nobody told to which offset, may have stood there, and be gone"
DAMAGED = "a damaged record says that it stands there"
PROCESSED = "members of its group told that they had processed what stood there"


class Extent(NamedTuple):
    """Of one partition, by a part of a run.

    `end` is one past the highest offset at which somebody told of a record, and `damaged_end` the
    same of damaged ones; of `unplaced` sends there may be records nobody knows where.
    """

    end: int
    damaged_end: int
    unplaced: int


def extents(part: Values) -> dict[Place, Extent]:
    """Of partitions to which groups committed."""
    damaged = part.is_kind(LOG) & part.known("problem")
    unplaced = np.bincount(part["place"][_unplaced(part)], minlength=len(part.places))
    columns = _highest(part, ~damaged), _highest(part, damaged), unplaced.tolist()
    return {
        place: Extent(highest + 1, highest_damaged + 1, count)
        for place, highest, highest_damaged, count in zip(part.places, *columns, strict=True)
        if place in part.facts.positions
    }


def _highest(part: Values, rows: Bools) -> list[int]:
    """The highest offset of each partition; -1 where none is told."""
    found = np.full(len(part.places), -1)
    np.maximum.at(found, part["place"][rows], part["offset"][rows])
    return [int(each) for each in found]


def _unplaced(part: Values) -> Bools:
    """Sends that may have written what nobody told the offset of, each of them once.

    What a producer failed to send that uses no transactions was not written, and one without
    idempotence may have written everything once more. What was aborted stands where a log has it.
    """
    sends = part.is_kind(SEND) & (~part.is_word("outcome", "invoked") | part.open)
    plain = part.of_clients(lambda client: client.transactional is False)
    failed = part.is_word("outcome", "failed")
    stored = part.is_kind(LOG) & ~part.known("problem") & (part["offset"] >= 0)
    placed = failed & (plain | (sent_once(part) & part.by_value_here.anywhere(stored)))
    untold = (part["offset"] < 0) & ~placed
    return sends & (untold | may_be_repeated(part))


def log_ends(facts: Facts, parts: Iterable[Mapping[Place, Extent]]) -> dict[Place, Extent]:
    """What all parts of a run say, with what brokers told of ends, and readers came to."""
    found = dict.fromkeys(facts.positions, Extent(0, 0, 0))
    for part in parts:
        for place, one in part.items():
            found[place] = _both(found[place], one)
    told = [(one.place, one.offset) for one in facts.readings]
    for place in facts.positions:
        for end in facts.replicas.get(place, ()):
            told += [(place, end.log_end_offset), (place, end.high_watermark)]
    for place, offset in told:
        if place in found and offset is not None:
            found[place] = _both(found[place], Extent(offset, 0, 0))
    return found


def _both(one: Extent, other: Extent) -> Extent:
    return Extent(
        max(one.end, other.end),
        max(one.damaged_end, other.damaged_end),
        one.unplaced + other.unplaced,
    )


def why_unsure(facts: Facts, whose: tuple[Place, str], offset: int, log: Extent) -> str:
    """Why it may have reached to this offset beyond its end; nothing where it cannot have.

    It is for a group of that name to ask.
    """
    place, group = whose
    leader = facts.leader(place)
    if leader is None or leader.log_end_offset is None or not is_settled(facts, place):
        return UNSETTLED
    if not facts.is_written(place[0]):
        return UNWRITTEN
    senders = [facts.promises.client(name) for name in facts.senders(place)]
    markers = sum(one.transactional is not False for one in senders)
    if offset <= log.end + RECORD_AND_MARKER * (log.unplaced + markers):
        return UNPLACED
    if offset <= log.damaged_end:
        return DAMAGED
    spans = [one for one in facts.groups.get(place, ()) if one.group == group]
    if any(len(one.last) and offset <= one.last[-1] + 1 for one in spans):
        return PROCESSED
    return ""
