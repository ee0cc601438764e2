"""How far partitions' logs have ever reached, by all that is told of records in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from highwater.checkers.attempts import may_be_repeated, sent_once
from highwater.checkers.facts import Facts, Place
from highwater.checkers.parts import LOG, SEND, Values
from highwater.checkers.reach import is_settled
from highwater.checkers.rows import Bools, Ints, alike, in_order

RECORD_AND_MARKER = 2
UNSETTLED = "the replicas had not settled when the final read was made"
UNWRITTEN = "nobody is known to have sent to its topic, and what others sent may be gone"
UNPLACED = "what was sent, nobody told to which offset, may have stood there, and be gone"
REWRITTEN = "what stands elsewhere may have stood there, been cut off, and written again"
DAMAGED = "a damaged record says that it stands there"
PROCESSED = "members of its group told that they had processed what stood there"


class Extent(NamedTuple):
    """Of one partition, by a part of a run.

    `end` is one past the highest offset at which somebody told of a record, and `damaged_end` the
    same of damaged ones; of `unplaced` sends there may be records nobody knows where. `written` are
    sends that may have written one, `repeated` those that may have written several, `alone` those
    of whose transaction, if any, nobody knows; `transactions` has the numbers of others'.
    """

    end: int
    damaged_end: int = 0
    unplaced: int = 0
    written: int = 0
    repeated: int = 0
    alone: int = 0
    transactions: Mapping[str, Ints] = MappingProxyType({})

    @property
    def longest(self) -> int:
        """No log can ever have had more offsets, but for markers that were written again.

        It has no record twice, however often one was cut off and sent again, but of producers
        without idempotence.
        """
        markers = self.alone + sum(map(len, self.transactions.values()))
        return self.written + self.repeated + markers


def extents(part: Values) -> dict[Place, Extent]:
    """Of partitions to which groups committed."""
    damaged = part.is_kind(LOG) & part.known("problem")
    written, plain = _written(part), _plain(part)
    alone = written & ~plain & ~part.known("transaction")
    masks = _unplaced(part), written, may_be_repeated(part), alone
    counts = [np.bincount(part["place"][each], minlength=len(part.places)) for each in masks]
    ends = _highest(part, ~damaged), _highest(part, damaged)
    numbers = _transactions(part, written & ~plain)
    found = {}
    for at, place in enumerate(part.places):
        if place in part.facts.positions:
            end, damaged_end = (each[at] + 1 for each in ends)
            unplaced, sent, repeated, unknown = (int(each[at]) for each in counts)
            told = numbers.get(at, {})
            found[place] = Extent(end, damaged_end, unplaced, sent, repeated, unknown, told)
    return found


def _transactions(part: Values, sends: Bools) -> dict[int, dict[str, Ints]]:
    """By place and client the numbers of the transactions that it has sent in."""
    found: dict[int, dict[str, Ints]] = {}
    rows = np.flatnonzero(sends & part.known("transaction"))
    place, client, number = (part[name][rows] for name in ("place", "client", "transaction"))
    _, whose = np.unique(alike(place, client), return_inverse=True)
    order = in_order(whose, number)
    for mine in np.split(order, np.flatnonzero(np.diff(whose[order])) + 1) if len(rows) else ():
        name = part.text("client", rows[mine[0]]) or ""
        found.setdefault(int(place[mine[0]]), {})[name] = np.unique(number[mine])
    return found


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
    failed = part.is_word("outcome", "failed")
    stored = part.is_kind(LOG) & ~part.known("problem") & (part["offset"] >= 0)
    placed = failed & (_plain(part) | (sent_once(part) & part.by_value_here.anywhere(stored)))
    untold = (part["offset"] < 0) & ~placed
    return _told_last(part) & (untold | may_be_repeated(part))


def _written(part: Values) -> Bools:
    """Sends that may have written a record, each of them once."""
    return _told_last(part) & ~(part.is_word("outcome", "failed") & _plain(part))


def _told_last(part: Values) -> Bools:
    return part.is_kind(SEND) & (~part.is_word("outcome", "invoked") | part.open)


def _plain(part: Values) -> Bools:
    return part.of_clients(lambda client: client.transactional is False)


def log_ends(facts: Facts, parts: Iterable[Mapping[Place, Extent]]) -> dict[Place, Extent]:
    """What all parts of a run say, with what brokers told of ends, and readers came to."""
    found = dict.fromkeys(facts.positions, Extent(0))
    for part in parts:
        for place, one in part.items():
            found[place] = _both(found[place], one)
    told = [(one.place, one.offset) for one in facts.readings]
    for place in facts.positions:
        for end in facts.replicas.get(place, ()):
            told += [(place, end.log_end_offset), (place, end.high_watermark)]
    for place, offset in told:
        if place in found and offset is not None:
            found[place] = _both(found[place], Extent(offset))
    return found


def _both(one: Extent, other: Extent) -> Extent:
    none = np.empty(0, np.int64)
    numbers = {
        client: np.union1d(one.transactions.get(client, none), other.transactions.get(client, none))
        for client in one.transactions.keys() | other.transactions.keys()
    }
    return Extent(
        max(one.end, other.end),
        max(one.damaged_end, other.damaged_end),
        one.unplaced + other.unplaced,
        one.written + other.written,
        one.repeated + other.repeated,
        one.alone + other.alone,
        numbers,
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
    markers = RECORD_AND_MARKER * sum(one.transactional is not False for one in senders)
    for limit, why in (
        (log.end + RECORD_AND_MARKER * log.unplaced + markers, UNPLACED),
        (log.longest + markers, REWRITTEN),
        (log.damaged_end, DAMAGED),
    ):
        if offset <= limit:
            return why
    spans = [one for one in facts.groups.get(place, ()) if one.group == group]
    if any(len(one.last) and offset <= one.last[-1] + 1 for one in spans):
        return PROCESSED
    return ""
