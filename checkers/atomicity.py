"""Transactions of which something was handed out, and what of them was not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from highwater.checkers.attempts import sent_once
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Values
from highwater.checkers.reach import UNREADABLE, fates, is_there, leader_starts
from highwater.checkers.readings import BACKWARDS
from highwater.checkers.rows import LAST, NONE, Bools, Ints, groups
from highwater.checkers.spans import within

SENT, SHOWN, GONE, UNTOLD = range(4)  # what a note is about
SURELY = LAST  # a time after which everybody passed what is not there at all
NOT_PASSED = "in the log, and no reader is known to have passed it since"
GONE_FROM = ("gone", "in the leader's log, and a reader passed it")
LOUD = "handed to readers of uncommitted records only"
SENT_LATER = "sent when another record of its transaction had been handed out"
MARKED = "nobody knows whether a reader passed it since the transaction was committed"


class Counted(NamedTuple):
    """Of one client's transactions: how many records each has of something, and what that is."""

    client: str
    why: str
    transaction: Ints
    records: Ints


class Handed(NamedTuple):
    """When something of each of these transactions was first handed out; LAST: nobody knows."""

    client: str
    transaction: Ints
    at_ns: Ints


class Missing(NamedTuple):
    """A record that was not handed out; whoever passes it at all did so after `passed_ns`."""

    client: str
    transaction: int
    sent_ns: int
    passed_ns: int
    witness: Witness


def notes_of(part: Values) -> dict[int, list[Any]]:
    """What is known of the transactions that have records in this part."""
    if not part.known("transaction").any():
        return {}
    asked = sent_in_transactions(part)
    if not asked.any():
        return {}
    committed = part.by_value_here.anywhere(part.polled_as_committed)
    sent = np.flatnonzero(asked)
    notes: dict[int, list[Any]] = {SENT: list(_counted(part, sent, ""))}
    notes[SHOWN] = list(_handed(part, np.flatnonzero(asked & committed)))
    missing = asked & ~committed
    notes[GONE], notes[UNTOLD] = [], []
    for why, rows in not_handed(part, missing):
        if isinstance(why, str):
            notes[UNTOLD] += _counted(part, rows, why)
        else:
            notes[GONE] += _missing(part, rows, why)
    return notes


def sent_in_transactions(part: Values) -> Bools:
    """What was sent once, in a transaction that is not known to have failed."""
    told = part.is_word("outcome", "ok", "unknown") | part.open
    asked = sent_once(part) & told & part.known("transaction") & part.known("client")
    asked &= ~part.is_word("acks", "1", "0")  # Kafka takes no such send into a transaction
    found: Bools = asked & ~part.of_clients(lambda client: client.transactional is False)
    return found


def _of_clients(part: Values, rows: Ints) -> Iterator[tuple[str, Ints]]:
    """These rows by their clients."""
    for at in groups(part["client"][rows]):
        yield str(part.text("client", rows[at[0]])), rows[at]


def _counted(part: Values, rows: Ints, why: str) -> Iterator[Counted]:
    for client, mine in _of_clients(part, rows):
        yield Counted(client, why, *np.unique(part["transaction"][mine], return_counts=True))


def _handed(part: Values, rows: Ints) -> Iterator[Handed]:
    polls = part.polled_as_committed & ~part.ran_backwards
    first = part.by_value_here.least(np.where(part.ended_ns == NONE, LAST, part.ended_ns), polls)
    at_ns = part.by_value_here.spread(np.where(first == NONE, LAST, first))
    for client, mine in _of_clients(part, rows):
        several, which = np.unique(part["transaction"][mine], return_inverse=True)
        earliest = np.full(len(several), LAST)
        np.minimum.at(earliest, which, at_ns[mine])
        yield Handed(client, several, earliest)


def not_handed(part: Values, missing: Bools) -> Iterator[tuple[str | Ints, Ints]]:
    """Why nobody can tell of some of these, and of others after what moment they were passed.

    These are sends that no reader of committed records is known to have been handed.
    """
    left = missing & ~part.ran_backwards
    yield BACKWARDS, np.flatnonzero(missing & part.ran_backwards)
    missing = left.copy()
    for why, rows in fates(part, missing & ~is_there(part)):
        yield np.full(len(rows), SURELY) if why is None else why, rows
        left[rows] = False
    others = left & part.read
    yield LOUD, np.flatnonzero(others & ~part.on_leader)
    left &= ~others | part.on_leader
    at, starts = _stands(part), leader_starts(part)
    start_untold = left & (starts == NONE)
    yield "nobody told where the leader's log starts", np.flatnonzero(start_untold)
    deleted = left & ~start_untold & (at < starts)
    yield "the leader's log starts only after it", np.flatnonzero(deleted)
    left &= ~start_untold & ~deleted
    for number in np.unique(part["place"][left]):
        rows, place = np.flatnonzero(left & (part["place"] == number)), part.places[number]
        nameless = within(at[rows], part.facts.unreadable.get(place, ()))
        yield UNREADABLE, rows[nameless]
        rows = rows[~nameless]
        since_ns = part.facts.passed_since_ns(place, at[rows])
        since_ns[others[rows]] = part.facts.passed_since_ns(
            place, at[rows[others[rows]]], as_committed=True
        )
        yield LOUD, rows[others[rows] & (since_ns == NONE)]
        yield NOT_PASSED, rows[~others[rows] & (since_ns == NONE)]
        yield since_ns[since_ns != NONE], rows[since_ns != NONE]


def _stands(part: Values) -> Ints:
    """Where the final leader's log has a value."""
    groups_here = part.by_value_here
    return groups_here.spread(groups_here.largest(part["offset"], part.kept_by_leader))


def _missing(part: Values, rows: Ints, passed_ns: Ints) -> Iterator[Missing]:
    at = np.where(part.on_leader, _stands(part), part["offset"])
    for row, since_ns in zip(rows.tolist(), passed_ns.tolist(), strict=True):
        topic, partition = part.place(row)
        offset = int(at[row])
        client, transaction = str(part.text("client", row)), int(part["transaction"][row])
        where = {"topic": topic, "partition": partition, "offset": offset if offset >= 0 else None}
        whose = {"client": client, "transaction": transaction}
        told = {"outcome": part.text("outcome", row), "where": GONE_FROM[bool(part.on_leader[row])]}
        witness = {**where, "value": int(part["value"][row]), **whose, **told}
        yield Missing(client, transaction, int(part["invoked_ns"][row]), since_ns, witness)


@dataclass(slots=True)
class _Transactions:
    """Of one client, by their numbers."""

    records: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    handed_ns: dict[int, int] = field(default_factory=dict)

    def is_asked(self, number: int) -> bool:
        return number in self.handed_ns and self.records[number] > 1


def put_together(found: Findings) -> Findings:
    """Findings of what all parts have noted."""
    clients = _clients(found.notes)
    for one in clients.values():
        found.considered += sum(one.records[each] for each in one.handed_ns if one.is_asked(each))
    for note in found.notes.get(UNTOLD, ()):
        for number, count in zip(note.transaction.tolist(), note.records.tolist(), strict=True):
            if clients[note.client].is_asked(number):
                found.doubt(note.why, count)
    for note in found.notes.get(GONE, ()):
        mine = clients[note.client]
        if mine.is_asked(note.transaction):
            _weigh(found, note, mine.handed_ns[note.transaction])
    found.notes.clear()
    return found


def _weigh(found: Findings, missing: Missing, handed_ns: int) -> None:
    """Of a transaction of which another record was first handed out at that moment."""
    if missing.sent_ns > handed_ns:
        found.doubt(SENT_LATER, 1)
    elif missing.passed_ns == SURELY or missing.passed_ns > handed_ns:
        handed = None if handed_ns == LAST else handed_ns
        found.one_anomaly({**missing.witness, "another_handed_ns": handed})
    else:
        found.doubt(MARKED, 1)


def _clients(notes: Mapping[int, Sequence[Any]]) -> dict[str, _Transactions]:
    clients: dict[str, _Transactions] = defaultdict(_Transactions)
    for note in notes.get(SENT, ()):
        for number, count in zip(note.transaction.tolist(), note.records.tolist(), strict=True):
            clients[note.client].records[number] += count
    for note in notes.get(SHOWN, ()):
        mine = clients[note.client].handed_ns
        for number, at_ns in zip(note.transaction.tolist(), note.at_ns.tolist(), strict=True):
            mine[number] = min(at_ns, mine.get(number, LAST))
    return clients
