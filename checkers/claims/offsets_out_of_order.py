"""In one replica's log a batch begins at or below an offset that an earlier batch has.

Offsets grow from batch to batch in every log that a leader has written, compacted or not. A reader
who seeks one of the offsets finds the first of the two; a broker that rebuilds the index of such a
log may refuse to start. Damaged batches are not asked. Batches lie in the order of their segments
and of the positions in these, which begin at 0: where they do not, nobody can tell.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.segments import UNORDERED, Segments


def judge(part: Segments) -> Findings:
    found = Findings(considered=int(np.count_nonzero(part.batches)))
    shown = part.shown(
        "topic", "partition", "broker", "segment", "position", "offset", offset_before=part.before
    )
    wrong = part.batches & (part["offset"] <= part.before)
    found.doubt(UNORDERED, np.count_nonzero(wrong & part.unordered))
    found.anomaly(wrong & ~part.unordered, shown)
    return found


CLAIM = Claim(
    name="offsets-out-of-order",
    title="offsets grow within a replica's log",
    definition=__doc__,
    about="batches in the replicas' logs",
    needs=("replica_logs",),
    part=Segments,
    judge=judge,
)
