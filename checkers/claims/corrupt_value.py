"""A record came back, or lies on a replica's disk, with another payload or key than was sent.

Its checksum and its key are those of no send of the same value to the same partition, or where
there is none there, to any other: no send has both, as far as the send and the record tell them; or
a consumer could not make out a value at all, in a topic that this run writes to; or the segment
reader found it damaged. A value that was sent with several payloads, or keys, may come back with
those of any of its sends. Where nobody told with what a send was made, nobody can tell of a record
that differs from all others of its value. A record is not asked about of which nothing is told, or
whose value nobody is known to have sent.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import LOG, POLL, Values
from highwater.checkers.payloads import compared, sent_with
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    ours = part.of_place(lambda place: part.facts.is_written(place[0])) == 1
    polled = part.is_kind(POLL) & ours
    damaged = part.is_kind(LOG) & part.known("problem")
    unreadable = polled & ~part.known("value")
    sound = (polled | (part.is_kind(LOG) & (part["is_control"] == 0))) & ~damaged & ~unreadable
    copies = compared(part, sound)
    wrong = damaged | unreadable | copies.differs
    found = Findings(considered=int(np.count_nonzero(wrong | copies.considered)))
    found.doubt("nobody told with what one of its sends was made", np.count_nonzero(copies.unsure))
    if not wrong.any():
        return found
    sent = {name: sent_with(part, name) for name in ("checksum", "key")}

    def witness_of(row: int) -> Witness:
        broker = part.number("broker", row)
        found_by = part.text("client", row) if broker is None else f"broker {broker}"
        sums = {part["checksum"][row], sent["checksum"][row]}
        other = "key differs" if NONE in sums or len(sums) == 1 else "checksum differs"
        other = "payload is unreadable" if unreadable[row] else other
        return {"found_by": found_by, "problem": part.text("problem", row) or other}

    more = {f"sent_{name}": column for name, column in sent.items()}
    names = ("topic", "partition", "offset", "value", "checksum", "key")
    found.anomaly(wrong, part.shown(*names, **more), witness_of)
    return found


CLAIM = Claim(
    name="corrupt-value",
    title="every record is read and stored as it was sent",
    definition=__doc__,
    about="records, read or in a replica's log, whose payload or key can be compared",
    needs=("history",),
    uses=("replica_logs",),
    part=Values,
    judge=judge,
)
