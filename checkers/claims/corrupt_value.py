"""A record came back, or lies on a replica's disk, with another payload or key than was sent.

Either its checksum, or its key, differs from that of the send of the same value in the same
partition, or where there is none there, in any other; or a consumer could not make out a value at
all, in a topic that this run writes to; or the segment reader found it damaged. A value that was
sent with several payloads, or keys, may come back with any of them.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.attempts import compared, differ
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import LOG, POLL, Values


def judge(part: Values) -> Findings:
    ours = part.of_place(lambda place: place[0] in part.facts.written) == 1
    polled = part.is_kind(POLL) & ours
    damaged = part.is_kind(LOG) & part.known("problem")
    copies = polled | damaged | (part.is_kind(LOG) & (part["is_control"] == 0))
    found = Findings(considered=int(np.count_nonzero(copies)))
    unreadable = polled & ~part.known("value")
    if not (damaged | unreadable).any() and not differ(part, "checksum") | differ(part, "key"):
        return found
    sums, keys = compared(part, "checksum", copies), compared(part, "key", copies)
    wrong = damaged | unreadable | sums.differs | keys.differs
    found.doubt("sent with several payloads", np.count_nonzero(sums.unsure & ~wrong))
    several = keys.unsure & ~sums.unsure & ~wrong
    found.doubt("sent with several keys", np.count_nonzero(several))

    def witness_of(row: int) -> Witness:
        broker = part.number("broker", row)
        found_by = part.text("client", row) if broker is None else f"broker {broker}"
        other = "checksum differs" if sums.differs[row] else "key differs"
        other = "payload is unreadable" if unreadable[row] else other
        return {"found_by": found_by, "problem": part.text("problem", row) or other}

    more = {"sent_checksum": sums.least, "sent_key": keys.least}
    names = ("topic", "partition", "offset", "value", "checksum", "key")
    found.anomaly(wrong, part.shown(*names, **more), witness_of)
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
