"""One offset of a partition held two different values.

What counts is every poll, and every send acknowledged with acks=all at a known offset, lost since
or not: an offset that was acknowledged and then given to another record is the anomaly itself.
What the final leader's log holds at an offset counts where a reader was handed another value there.
Sends with acks=1 or acks=0 do not count: after a loss that these allow, the offset is legally
used again. Nor do sends of unknown outcome, which nobody can place.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.neighbours import Groups
from highwater.checkers.parts import LOG, POLL, Offsets
from highwater.checkers.rows import Bools, changes


def judge(part: Offsets) -> Findings:
    told = ~part.is_kind(LOG) & part.known("value") & (part["offset"] >= 0)
    rows = np.flatnonzero(told | _kept_where_polled(part, told))
    starts = changes(part["place"][rows], part["offset"][rows])
    found = Findings(considered=int(np.count_nonzero(starts)))
    value = part["value"][rows]
    others = changes(value) & ~starts
    if not others.any():
        return found
    first = np.flatnonzero(starts)
    least, largest = (which.reduceat(value, first) for which in (np.minimum, np.maximum))
    wrong = np.zeros(len(part["offset"]), bool)
    wrong[rows[first]] = least < largest
    values = np.zeros((2, len(wrong)), np.int64)
    values[:, rows[first]] = least, largest
    shown = part.shown("topic", "partition", "offset", value=values[0], other_value=values[1])
    found.anomaly(wrong, shown)
    return found


def _kept_where_polled(part: Offsets, told: Bools) -> Bools:
    """Sound records of the final leader's log at offsets of which a reader was handed a value."""
    kept = part.is_kind(LOG) & part.known("value") & ~part.known("problem")
    kept &= part.known("broker") & (part["broker"] == part.leaders)
    if not kept.any():
        return kept
    offsets = Groups(changes(part["place"], part["offset"]))
    return kept & offsets.anywhere(told & part.is_kind(POLL))


CLAIM = Claim(
    name="inconsistent-offsets",
    title="every offset holds one value for ever",
    definition=__doc__,
    about="offsets that were read, or acknowledged with acks=all",
    needs=("history",),
    uses=("replica_logs", "replica_ends"),
    part=Offsets,
    judge=judge,
)
