"""A reader was told that the log ends at or below a record that was committed before it began.

Committed is what was acknowledged with acks=all, and what a reader of committed records had been
handed. The record was there: some reader was handed it, before or after, or the final leader's log
has it. One that this log lacks is not stale but lost, which is another claim; one that nobody was
handed, in a record without that log, may be either, and nobody can tell. Nor can anybody where a
transaction may have been open at the offset that the reader got to: for a reader of committed
records the log then ends there, at the last stable offset.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts, Reading
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.reach import has_leader_log, is_settled
from highwater.checkers.readings import BACKWARDS, Decided, Sent, decided, hidden
from highwater.checkers.rows import Ints


def judge(part: Values) -> Findings:
    """Notes, for each reading, what of this part it did not find, and whether it had to wait.

    A note is how many records it missed that were there, the first of them, how many that nobody
    knows of, and whether a transaction may have been open at its offset.
    """
    found = Findings()
    ends = [(at, one) for at, one in enumerate(part.facts.readings) if _asked(one)]
    missed = {at: _missed(part, reading, rows) for at, reading, rows in hidden(part)}
    sent = Sent(part) if ends and _may_wait(part) else None
    for at, reading in ends:
        count, first, nowhere = missed.get(at, (0, None, 0))
        waits = sent is not None and sent.may_be_open(reading, at_its_offset=True)
        if count or nowhere or waits:
            found.notes[at] = [(count, first, nowhere, waits)]
    return found


def _asked(reading: Reading) -> bool:
    return reading.action == "end" and not reading.ran_backwards


def _may_wait(part: Values) -> bool:
    """Whether anybody sent who may have used transactions."""
    return not part.of_clients(lambda client: client.transactional is False).all()


def _missed(part: Values, reading: Reading, rows: Ints) -> tuple[int, tuple[int, int] | None, int]:
    facts, place = part.facts, reading.place
    by_log = has_leader_log(facts, place) and is_settled(facts, place)
    there = part.read[rows] | part.on_leader[rows]
    lost = rows[:0] if not by_log else rows[~part.on_leader[rows]]
    hidden_rows = np.setdiff1d(rows[there], lost)
    nowhere = len(np.setdiff1d(rows[~there], lost))
    if not len(hidden_rows):
        return 0, None, nowhere
    offset, value = part["offset"][hidden_rows], part["value"][hidden_rows]
    first = int(offset.min())
    return len(hidden_rows), (first, int(value[offset == first].min())), nowhere


def _decide(reading: Reading, notes: list[Any]) -> Decided:
    if reading.ran_backwards:
        return BACKWARDS
    if reading.offset is None or reading.offset < 0:
        return "nobody told where the reader took the log's end to be"
    count, nowhere = sum(note[0] for note in notes), sum(note[2] for note in notes)
    if not count and not nowhere:
        return None
    if any(note[3] for note in notes):
        return "a transaction may have been open"
    if not count:
        return "nobody was handed what was acknowledged above it"
    first_at, first = min(note[1] for note in notes if note[1] is not None)
    return {"first_hidden_at": first_at, "first_hidden": first, "hidden_records": count}


def conclude(found: Findings, facts: Facts) -> Findings:
    return decided(found, facts, _decide, "end")


CLAIM = Claim(
    name="stale-read",
    title="a reader finds what was committed before it began",
    definition=__doc__,
    about="readers that got to the end",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Values,
    judge=judge,
    conclude=conclude,
)
