"""Between two records in a replica's log offsets are missing.

A leader gives every record the next offset, control records included, and followers copy what they
are sent: only compaction leaves gaps. In a compacted topic, or a log with damaged batches, nobody
can tell. Records lie in the order of their segments and of the positions in these, which begin at
0: where they do not, nobody can tell either.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import LogFacts
from highwater.checkers.findings import Findings
from highwater.checkers.rows import NONE
from highwater.checkers.segments import UNORDERED, Segments


def judge(part: Segments) -> Findings:
    found = Findings(considered=len(part["offset"]))
    gaps = (part.before != NONE) & (part["offset"] - 1 > part.before)
    promises = part.facts.promises
    compacted = part.of_place(lambda place: promises.is_compacted(place[0])) == 1
    found.doubt("in a compacted topic", np.count_nonzero(gaps & compacted))
    gaps &= ~compacted
    found.doubt(UNORDERED, np.count_nonzero(gaps & part.unordered))
    gaps &= ~part.unordered
    damaged = np.zeros(len(gaps), bool)
    for row in np.flatnonzero(gaps):
        log = part.facts.logs.get((part.place(row), int(part["broker"][row])), LogFacts())
        damaged[row] = log.problems > 0
    found.doubt("in a log with damaged batches", np.count_nonzero(damaged))
    shown = part.shown("topic", "partition", "broker", "offset", offset_before=part.before)
    found.anomaly(gaps & ~damaged, shown)
    return found


CLAIM = Claim(
    name="log-not-contiguous",
    title="a replica's log has every offset between its first and its last",
    definition=__doc__,
    about="records in the replicas' logs",
    needs=("replica_logs",),
    part=Segments,
    judge=judge,
)
