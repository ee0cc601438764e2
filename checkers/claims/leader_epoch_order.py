"""In one replica's log a batch has a lower leader epoch than the batch before it.

A leader stamps what it appends with its epoch, which is above that of every leader before it, and
followers copy batches as they are: along a log epochs stay or grow, compacted or not (KIP-101).
Where one falls, a leader and a follower that compare epochs cannot find out where their logs fork.
Batches without an epoch (before message format v2, or -1) and damaged ones are not asked.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.neighbours import Groups
from highwater.checkers.rows import NONE
from highwater.checkers.segments import UNORDERED, Segments


def judge(part: Segments) -> Findings:
    batches = Groups(part.batches)
    epochs = batches.largest(part["leader_epoch"], part["leader_epoch"] >= 0)
    asked = np.full(len(part["offset"]), NONE)  # the epoch of each such batch, where it begins
    asked[batches.starts] = epochs
    before = np.full(len(asked), NONE)
    for rows, segment in part.segments():
        stamped = rows.start + np.flatnonzero(asked[rows] != NONE)
        carried = part.facts.epochs.get(segment, (NONE,))[-1]
        before[stamped] = np.append(carried, asked[stamped])[:-1]
    found = Findings(considered=int(np.count_nonzero(asked != NONE)))
    place = part.shown("topic", "partition", "broker", "segment", "position", "offset")
    told = part.shown(leader_epoch=asked, epoch_before=before)
    wrong = before > asked
    found.doubt(UNORDERED, np.count_nonzero(wrong & part.unordered))
    found.anomaly(wrong & ~part.unordered, {**place, **told})
    return found


CLAIM = Claim(
    name="leader-epoch-order",
    title="leader epochs never fall within a replica's log",
    definition=__doc__,
    about="batches with a leader epoch in the replicas' logs",
    needs=("replica_logs",),
    part=Segments,
    judge=judge,
)
