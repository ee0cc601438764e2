"""A replica's checkpoint of leader epochs gives a record another epoch than its batch has.

By this file replicas find out where their logs fork (KIP-101). For a record the entry counts that
starts last, at its offset or below; of several at one offset, that of the largest epoch. Brokers
write an entry before the first record of its epoch (LeaderEpochFileCache.assign), so the file of a
broker that runs covers all records; entries beyond the log's end, which brokers from 3.8 on take
out a moment after the records, do no harm. Records below the log start, and those without an epoch
(before message format v2, or -1), are not asked. One below all entries is undecided where the log
start is not known, or where the log has older formats too, for which brokers drop entries
(KAFKA-7601). One anomaly for each run of such records in a segment.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import LogFacts
from highwater.checkers.findings import Findings
from highwater.checkers.rows import NONE, changes
from highwater.checkers.segments import Segments


def judge(part: Segments) -> Findings:
    found, facts = Findings(), part.facts
    offset, epoch = part["offset"], part["leader_epoch"]
    given, wrong = np.full(len(offset), NONE), np.zeros(len(offset), np.int64)
    for rows, (place, broker, _) in part.segments():
        log = place, broker
        start = facts.log_start(log)
        asked = (epoch[rows] >= 0) & (offset[rows] >= (start or 0))
        found.considered += int(np.count_nonzero(asked))
        if log not in facts.checkpoints:
            found.doubt("in a log whose checkpoint is not in the record", np.count_nonzero(asked))
            continue
        starts, epochs = np.array(facts.checkpoints[log]).T
        entry = np.searchsorted(starts, offset[rows], "right") - 1
        given[rows] = np.where(entry >= 0, epochs[entry], NONE)
        if start is None or facts.logs.get(log, LogFacts()).unstamped:
            uncovered = asked & (entry < 0)
            found.doubt("below all entries of the checkpoint", np.count_nonzero(uncovered))
            asked &= ~uncovered
        wrong[rows] = asked & (given[rows] != epoch[rows])
    begins = changes(*(part[name] for name in ("place", "broker", "segment")), wrong, epoch, given)
    shown = part.shown("topic", "partition", "broker", "offset", "leader_epoch")
    found.anomaly(begins & (wrong == 1), {**shown, **part.shown(checkpoint_epoch=given)})
    return found


CLAIM = Claim(
    name="epoch-checkpoint",
    title="a replica's checkpoint knows the leader epoch of every record",
    definition=__doc__,
    about="records with a leader epoch in the replicas' logs",
    needs=("replica_logs", "epoch_checkpoints"),
    uses=("replica_ends",),
    part=Segments,
    judge=judge,
)
