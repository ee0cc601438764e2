"""Two in-sync replicas hold different records at one offset that both call committed.

A replica is asked for every offset from its log start up to its own high watermark, in a settled
state or not. Records differ when their digests or (message format v2) their leader epochs do, or
when one replica has none where another has one. A replica whose log is damaged or not in the record
is not asked what it lacks. Compacted topics are not for this claim: replicas compact on their own.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.copies import Copies
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets
from highwater.checkers.rows import NONE


def judge(part: Offsets) -> Findings:
    copies = Copies(part)
    differs = copies.differ("digest", NONE) | copies.differ("leader_epoch", -1)
    wrong = differs | (copies.absent > 0)
    asked = copies.distinct + copies.absent > 1
    found = Findings(considered=int(np.count_nonzero(asked)))
    rows = np.zeros(len(part["offset"]), bool)
    rows[copies.first_rows[asked & wrong]] = True
    shown = part.shown("topic", "partition", "offset")
    found.anomaly(rows, shown, lambda row: {"held": copies.told(row)})
    return found


CLAIM = Claim(
    name="replica-divergence",
    title="in-sync replicas hold the same records",
    definition=__doc__,
    about="committed offsets held by two in-sync replicas",
    needs=("replica_logs", "replica_ends"),
    part=Offsets,
    judge=judge,
)
