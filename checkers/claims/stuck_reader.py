"""A reader stood still below a record that was committed before it began.

It was below the high watermark for all the time that it had, with no transaction open: every send
before it had ended, with success or without, before it began. Where the end of one is not known, a
transaction may be open, and a reader rightly waits for that: then nobody can tell. Sends of a
producer that is known to use no transactions keep no reader waiting, and none do one that is known
to ask for uncommitted records: nothing but the high watermark bounds it.
"""

from __future__ import annotations

from typing import Any

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts, Reading
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.readings import BACKWARDS, Decided, Sent, decided


def judge(part: Values) -> Findings:
    """Notes, for each reading, whether a send may have been open, and the first one beyond it."""
    found = Findings()
    stalls = [(at, one) for at, one in enumerate(part.facts.readings) if one.action == "stall"]
    sent = Sent(part) if stalls else None
    for at, stall in stalls:
        if sent is not None:
            found.notes[at] = [(sent.may_be_open(stall), sent.beyond(stall))]
    return found


def _decide(reading: Reading, notes: list[Any]) -> Decided:
    if reading.action == "end":
        return None
    if reading.ran_backwards:
        return BACKWARDS
    if reading.offset is None or reading.offset < 0:
        return "nobody told where the reader stood still"
    if any(is_open for is_open, _ in notes):
        return "a transaction may have been open"
    beyond = min((first for _, first in notes if first is not None), default=None)
    if beyond is None:
        return "nothing that was acknowledged lies beyond"
    return {"next_acknowledged_at": beyond[0], "next_acknowledged": beyond[1]}


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
