"""In one replica's log a batch begins at or below an offset that an earlier batch has.

Offsets grow from batch to batch in every log that a leader has written, compacted or not. A reader
who seeks one of the offsets finds the first of the two; a broker that rebuilds the index of such a
log may refuse to start. Damaged batches are not asked.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Segments
from highwater.checkers.rows import NONE, runs


def judge(part: Segments) -> Findings:
    offset, batches = part["offset"], part.starts("place", "broker", "segment", "position")
    first, last = np.minimum.reduceat(offset, batches), np.maximum.reduceat(offset, batches)
    before = np.full(len(batches), NONE)
    segments = np.flatnonzero(np.isin(batches, part.starts("place", "broker", "segment")))
    for begin, length in zip(segments, runs(segments, len(batches)), strict=True):
        row, batch = int(batches[begin]), slice(begin, begin + length)
        segment = (part.place(row), int(part["broker"][row]), str(part.text("segment", row)))
        carried = part.facts.highest.get(segment, NONE)
        so_far = np.maximum.accumulate(np.append(carried, last[batch]))
        before[batch] = so_far[:-1]
    found = Findings(considered=len(batches))
    wrong, told = np.zeros((2, len(offset)), np.int64)
    wrong[batches], told[batches] = first <= before, before
    shown = part.shown("topic", "partition", "broker", "segment", "position")
    firsts = np.zeros(len(offset), np.int64)
    firsts[batches] = first
    more = part.shown(offset=firsts, offset_before=told)
    found.anomaly(wrong == 1, {**shown, **more})
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
