"""A reader was told that the log ends below a record acknowledged before it began to read.

The record was there: a later reader was handed it. One that nobody was handed afterwards is not
stale but lost, which is another claim.
"""

from __future__ import annotations

from typing import Any

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts, Reading
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.readings import BACKWARDS, Decided, decided, hidden_from, passed_over


def judge(part: Values) -> Findings:
    """Notes, for each reading, how many records of this part it did not find, and the first."""
    found = Findings()
    ends = [
        (at, one)
        for at, one in enumerate(part.facts.readings)
        if one.action == "end" and not one.ran_backwards
    ]
    missable = passed_over(part, [one for _, one in ends])
    for at, reading in ends:
        rows = missable.get(reading.place)
        hidden = None if rows is None else hidden_from(part, rows, reading)
        if hidden is not None:
            found.notes[at] = [hidden]
    return found


def _decide(reading: Reading, notes: list[Any]) -> Decided:
    if reading.ran_backwards:
        return BACKWARDS
    if not notes:
        return None
    first_at, first = min(first for _, first in notes)
    hidden = sum(count for count, _ in notes)
    return {"first_hidden_at": first_at, "first_hidden": first, "hidden_records": hidden}


def conclude(found: Findings, facts: Facts) -> Findings:
    return decided(found, facts, _decide, "end")


CLAIM = Claim(
    name="stale-read",
    title="a reader finds what was acknowledged before it began",
    definition=__doc__,
    about="readers that got to the end",
    needs=("history",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
