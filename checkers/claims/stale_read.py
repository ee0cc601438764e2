"""A reader was told that the log ends at or below a record that was committed before it began.

Committed is what was acknowledged with acks=all, and what a reader had been handed. The record was
there: some reader was handed it, before or after, or the final leader's log has it. One that this
log lacks is not stale but lost, which is another claim; one that nobody was handed, in a record
without that log, may be either, and nobody can tell. Nor can anybody where a transaction may have
been open at the offset that the reader got to, by what its producer was told or others were handed:
for a reader of committed records the log then ends there, at the last stable offset, until the
marker is written, which is after a commit or an abort has been confirmed. One that is known to ask
for uncommitted records waits for no transaction.
"""

from __future__ import annotations

from typing import Any

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts, Reading
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.readings import BACKWARDS, Decided, decided
from highwater.checkers.transactions import has_to_wait
from highwater.checkers.waiting import notes_of


def judge(part: Values) -> Findings:
    return Findings(notes=notes_of(part))


def _decide(reading: Reading, notes: list[Any]) -> Decided:
    if reading.ran_backwards:
        return BACKWARDS
    if reading.offset is None or reading.offset < 0:
        return "nobody told where the reader took the log's end to be"
    count, nowhere = sum(note[0] for note in notes), sum(note[2] for note in notes)
    if not count and not nowhere:
        return None
    if has_to_wait(note[3] for note in notes):
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
