"""A send landed below a record of the same client that was acknowledged before it was invoked.

Both sends are with acks=all and in the same partition; order is real time, as the client saw it:
one was acknowledged strictly before the other was invoked, for equal times prove no order.
Sends in flight at the same moment are not compared, for without idempotence a retry may legally
reorder them; nor are sends with acks=1 or acks=0, whose offsets a legal loss gives away again.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Offsets
from highwater.checkers.standings import Standings, sent


def judge(part: Offsets) -> Findings:
    asked = part.acknowledged
    found = Findings(considered=int(np.count_nonzero(asked)))
    backwards = part.known("completed_ns") & (part["completed_ns"] < part["invoked_ns"])
    found.doubt("a clock ran backwards", np.count_nonzero(asked & backwards))
    standings = Standings(part, sent(part))

    def witness_of(row: int) -> Witness:
        above = standings.above(row)
        return {"after_offset": above.offset, "after_value": above.value}

    shown = part.shown("topic", "partition", "client", "offset", "value", "invoked_ns")
    found.anomaly(standings.too_low & ~backwards, shown, witness_of)
    return found


CLAIM = Claim(
    name="nonmonotonic-send",
    title="what a client sends later stands later",
    definition=__doc__,
    about="sends acknowledged with acks=all at a known offset",
    needs=("history",),
    part=Offsets,
    judge=judge,
)
