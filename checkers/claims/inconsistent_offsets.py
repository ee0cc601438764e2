"""One offset of a partition held two different values.

What counts is every poll, and every send acknowledged with acks=all at a known offset, lost since
or not: an offset that was acknowledged and then given to another record is the anomaly itself.
Sends with acks=1 or acks=0 do not count: after a loss that these allow, the offset is legally
used again. Nor do sends of unknown outcome, which nobody can place.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import LOG, Offsets
from highwater.checkers.rows import changes


def judge(part: Offsets) -> Findings:
    rows = np.flatnonzero(~part.is_kind(LOG) & part.known("value"))
    starts = changes(part["place"][rows], part["offset"][rows])
    found = Findings(considered=int(np.count_nonzero(starts)))
    others = changes(part["value"][rows]) & ~starts
    if not others.any():
        return found
    first = np.flatnonzero(starts)
    least, largest = (
        which.reduceat(part["value"][rows], first) for which in (np.minimum, np.maximum)
    )
    wrong = np.zeros(len(part["offset"]), bool)
    wrong[rows[first]] = least < largest
    values = np.zeros((2, len(wrong)), np.int64)
    values[:, rows[first]] = least, largest
    shown = part.shown("topic", "partition", "offset", value=values[0], other_value=values[1])
    found.anomaly(wrong, shown)
    return found


CLAIM = Claim(
    name="inconsistent-offsets",
    title="every offset holds one value for ever",
    definition=__doc__,
    about="offsets that were read, or acknowledged with acks=all",
    needs=("history",),
    part=Offsets,
    judge=judge,
)
