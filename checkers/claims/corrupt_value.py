"""A record came back, or lies on a replica's disk, with another payload than was sent.

Either its checksum differs from that of the send of the same value in the same partition, or where
there is none there, in any other; or a consumer could not make out a value at all, in a topic that
this run writes to; or the segment reader found it damaged. A value that was sent with several
payloads may come back with any of them.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.attempts import checksums_differ, sent_checksums
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import LOG, POLL, Values
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    ours = part.of_place(lambda place: place[0] in part.facts.written) == 1
    polled = part.is_kind(POLL) & ours
    damaged = part.is_kind(LOG) & part.known("problem")
    copies = polled | damaged | (part.is_kind(LOG) & (part["is_control"] == 0))
    found = Findings(considered=int(np.count_nonzero(copies)))
    unreadable = polled & ~part.known("value")
    if not (damaged | unreadable).any() and not checksums_differ(part):
        return found
    sums, others = sent_checksums(part, copies)
    differs = part.known("checksum") & part.known("value") & (sums != NONE)
    differs &= (part["checksum"] != sums) & (part["checksum"] != others)
    several = differs & (sums != others)
    found.doubt("sent with several payloads", np.count_nonzero(copies & several))
    differs &= ~several

    def witness_of(row: int) -> Witness:
        broker = part.number("broker", row)
        found_by = part.text("client", row) if broker is None else f"broker {broker}"
        other = "payload is unreadable" if unreadable[row] else "checksum differs"
        return {"found_by": found_by, "problem": part.text("problem", row) or other}

    shown = part.shown("topic", "partition", "offset", "value", "checksum", sent_checksum=sums)
    found.anomaly(copies & (damaged | unreadable | differs), shown, witness_of)
    return found


CLAIM = Claim(
    name="corrupt-value",
    title="every record is read and stored as it was sent",
    definition=__doc__,
    about="records that were read or are in a replica's log",
    needs=("history",),
    uses=("replica_logs",),
    part=Values,
    judge=judge,
)
