"""Readers that ought to have found more, and sends that nobody knows the end of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from highwater.checkers.facts import Place, Reading
from highwater.checkers.parts import SEND, Values
from highwater.checkers.progress import TENTH_NS
from highwater.checkers.reach import has_leader_log, is_settled
from highwater.checkers.readings import Sent, hidden, stand_at
from highwater.checkers.rows import Ints

Missed = tuple[int, tuple[int, int] | None, int]


def notes_of(part: Values) -> dict[int, list[Any]]:
    """For each reading that got to an end, by its number, what of this part it did not find.

    A note is how many records it missed that were there, the first of them, how many that nobody
    knows of, and whether a transaction may have been open at its offset.
    """
    readings = enumerate(part.facts.readings)
    ends = [(at, one) for at, one in readings if one.action == "end" and not one.ran_backwards]
    missed = {at: _missed_by(part, reading, rows) for at, reading, rows in hidden(part)}
    plain = part.of_clients(lambda client: client.transactional is False)
    sent = Sent(part) if ends and (part.is_kind(SEND) & ~plain).any() else None
    notes: dict[int, list[Any]] = {}
    for at, reading in ends:
        count, first, nowhere = missed.get(at, (0, None, 0))
        waits = sent is not None and sent.may_be_open(reading, at_its_offset=True)
        if count or nowhere or waits:
            notes[at] = [(count, first, nowhere, waits)]
    return notes


def open_since(part: Values) -> Iterator[tuple[Place, Counter[int]]]:
    """For each partition in which tenths sends began that nobody knows the end of."""
    in_transactions = part.of_clients(lambda client: bool(client.transactional))
    rows = np.flatnonzero(part.open & ~in_transactions & ~part.is_word("acks", "0"))
    begun = -(-part["invoked_ns"][rows] // TENTH_NS)
    for number in np.unique(part["place"][rows]):
        yield part.places[number], Counter(begun[part["place"][rows] == number].tolist())


def _missed_by(part: Values, reading: Reading, rows: Ints) -> Missed:
    """How many of these records were there, the first of them, and of how many nobody knows.

    The first is its offset and its value. What the final leader's log lacks is lost, and not here.
    """
    facts, place = part.facts, reading.place
    by_log = has_leader_log(facts, place) and is_settled(facts, place)
    there = part.read[rows] | part.on_leader[rows]
    lost = rows[:0] if not by_log else rows[~part.on_leader[rows]]
    hidden_rows = np.setdiff1d(rows[there], lost)
    nowhere = len(np.setdiff1d(rows[~there], lost))
    if not len(hidden_rows):
        return 0, None, nowhere
    offset = stand_at(part, part.is_kind(SEND))[hidden_rows]
    value = part["value"][hidden_rows]
    first = int(offset.min())
    return len(hidden_rows), (first, int(value[offset == first].min())), nowhere
