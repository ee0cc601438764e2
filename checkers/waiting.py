"""Readers that ought to have found more, and sends that nobody knows the end of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from highwater.checkers.facts import Reading
from highwater.checkers.lives import Begun
from highwater.checkers.parts import LOG, SEND, Values
from highwater.checkers.progress import TENTH_NS
from highwater.checkers.reach import has_leader_log, is_settled
from highwater.checkers.readings import First, first_of, hidden, stand_at
from highwater.checkers.rows import Bools, Ints, groups, numbered
from highwater.checkers.to_be_flushed import in_transactions
from highwater.checkers.transactions import Sent, Wait

Missed = tuple[int, First | None, int]


def notes_of(part: Values) -> dict[int, list[Any]]:
    """For each reading that got to an end, by its number, what of this part it did not find.

    A note is how many records it missed that were there, the first of them, how many that nobody
    knows of, and what is known of transactions at its offset.
    """
    readings = enumerate(part.facts.readings)
    ends = [(at, one) for at, one in readings if one.action == "end" and not one.ran_backwards]
    missed = {at: _missed_by(part, reading, rows) for at, reading, rows in hidden(part)}
    waited_for = _may_stand_at(part, {one.offset for _, one in ends if one.offset is not None})
    sent = Sent(part.around(waited_for)) if ends and waited_for.any() else None
    notes: dict[int, list[Any]] = {}
    for at, reading in ends:
        count, first, nowhere = missed.get(at, (0, None, 0))
        wait = Wait() if sent is None else sent.wait(reading)
        if reading.completed_ns is None and reading.client not in part.facts.promises.uncommitted:
            wait = Wait(is_open=True)
        if count or nowhere or wait != Wait():
            notes[at] = [(count, first, nowhere, wait)]
    return notes


def _may_stand_at(part: Values, offsets: set[int]) -> Bools:
    """What tells of transactions whose records stand at one of these offsets.

    That is who may have sent these, and which records are known to stand there and just below.
    """
    plain = part.of_clients(lambda client: client.transactional is False)
    near = np.array(sorted(offsets | {offset - 1 for offset in offsets}), np.int64)
    untold = part.is_kind(SEND) & ~plain & (part["offset"] < 0)
    found: Bools = untold | (~part.is_kind(LOG) & np.isin(part["offset"], near))
    return found


def _deleted(part: Values, reading: Reading, rows: Ints) -> Bools:
    """Which of these records are below the log's start now, and were handed out after a reading."""
    leader, groups = part.facts.leader(reading.place), part.by_value_here
    start = None if leader is None else leader.log_start_offset
    last_ns = groups.spread(groups.largest(part.ended_ns, part.polled))[rows]
    after = last_ns > (reading.invoked_ns if reading.completed_ns is None else reading.completed_ns)
    found: Bools = after & (stand_at(part, part.is_kind(SEND))[rows] < (start or 0))
    return found


def open_since(part: Values) -> Iterator[Begun]:
    """Who has sent to which partition what nobody knows the end of, and when that began."""
    rows = np.flatnonzero(part.open & ~in_transactions(part) & ~part.is_word("acks", "0"))
    begun = -(-part["invoked_ns"][rows] // TENTH_NS)
    for mine in groups(numbered(part["place"][rows], part["client"][rows])):
        first = rows[mine[0]]
        client = str(part.text("client", first))
        yield Begun(part.place(first), client, Counter(begun[mine].tolist()))


def _missed_by(part: Values, reading: Reading, rows: Ints) -> Missed:
    """How many of these records were there, the first of them, and of how many nobody knows.

    The first is its offset and its value. What the final leader's log lacks is lost, and not here,
    unless it was handed out later and has been deleted since.
    """
    facts, place = part.facts, reading.place
    by_log = has_leader_log(facts, place) and is_settled(facts, place)
    there = part.read[rows] | part.on_leader[rows]
    lost = rows[:0] if not by_log else rows[~(part.on_leader[rows] | _deleted(part, reading, rows))]
    hidden_rows = np.setdiff1d(rows[there], lost)
    nowhere = len(np.setdiff1d(rows[~there], lost))
    return len(hidden_rows), first_of(part, hidden_rows), nowhere
