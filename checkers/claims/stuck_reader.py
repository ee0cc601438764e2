"""A reader stood still below a record that was committed before it began.

Committed is what was acknowledged with acks=all, and what a reader had been handed. All the time it
was below the high watermark, with no transaction open: every send before it had ended, in vain or
not, before it began. Where the end of one is not known, a transaction may be open, and a reader
rightly waits for that; for a second more it may wait for the marker of one that has ended, where it
stands. Then nobody can tell. Producers that are known to use no transactions keep no reader
waiting, and nothing but the high watermark bounds one that is known to ask for uncommitted records.
"""

from __future__ import annotations

from typing import Any

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts, Reading
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.readings import BACKWARDS, Decided, decided, first_of, hidden
from highwater.checkers.rows import NONE
from highwater.checkers.transactions import Sent, has_to_wait


def judge(part: Values) -> Findings:
    stalls = [(at, one) for at, one in enumerate(part.facts.readings) if one.action == "stall"]
    if not stalls:
        return Findings()
    sent, beyond = Sent(part), {at: rows for at, _, rows in hidden(part, "stall")}
    firsts = {at: first_of(part, rows) for at, rows in beyond.items()}
    return Findings(notes={at: [(sent.wait(one), firsts.get(at))] for at, one in stalls})


def _decide(reading: Reading, notes: list[Any]) -> Decided:
    if reading.action == "end" or reading.ran_backwards:
        return BACKWARDS if reading.action == "stall" else None
    if reading.offset is None or reading.offset < 0:
        return "nobody told where the reader stood still"
    if has_to_wait(wait for wait, _ in notes):
        return "a transaction may have been open"
    at, value = min((first for _, first in notes if first is not None), default=(NONE, NONE))
    if at == NONE:
        return "nothing that is known to have been committed lies beyond"
    return {"next_committed_at": at, "next_committed": None if value == NONE else value}


def conclude(found: Findings, facts: Facts) -> Findings:
    return decided(found, facts, _decide, "end", "stall")


CLAIM = Claim(
    name="stuck-reader",
    title="a reader gets to the high watermark unless a transaction is open",
    definition=__doc__,
    about="readers that got to the end or stood still",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
