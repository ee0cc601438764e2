"""A reader was handed a record at or below an offset that it had been handed before.

What counts is the order of the numbers of a client's operations. A consumer that seeks, or is
assigned the partition anew, may go back: it has another name from there on. (Jepsen's rule for
`assign`; what it tolerates with `subscribe` are such assignments.)
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Offsets
from highwater.checkers.standings import Standings, handed


def judge(part: Offsets) -> Findings:
    order = handed(part)
    found = Findings(considered=int(np.count_nonzero(order.asked)))
    standings = Standings(part, order)

    def witness_of(row: int) -> Witness:
        above = standings.above(row)
        return {"after_offset": above.offset, "after_op": above.ended}

    shown = part.shown("topic", "partition", "client", "offset", "value", "op")
    found.anomaly(standings.too_low, shown, witness_of)
    return found


CLAIM = Claim(
    name="nonmonotonic-poll",
    title="a reader goes forward",
    definition=__doc__,
    about="records that readers were handed",
    needs=("history",),
    part=Offsets,
    judge=judge,
)
