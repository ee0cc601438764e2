"""One value stands at two or more offsets of a partition.

Offsets count where a consumer was handed the record, and where the segments of the final leader
hold it. A producer without idempotence may write twice what it sent once: a scenario that uses one
says that it tolerates this.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import LOG, POLL, Values


def judge(part: Values) -> Findings:
    kept = part.is_kind(LOG) & (part["broker"] == part.leaders) & part.known("broker")
    seen = (part.is_kind(POLL) | kept) & part.known("value")
    groups, offset = part.by_value_here, part["offset"]
    first, last = groups.least(offset, seen), groups.largest(offset, seen)
    found = Findings(considered=int(np.count_nonzero(groups.have(seen))))
    wrong = np.zeros(len(seen), bool)
    wrong[groups.starts] = first < last
    shown = part.shown("topic", "partition", "value")
    if wrong.any():
        ends = {"offset": (groups.spread(first), None), "also_at": (groups.spread(last), None)}
        found.anomaly(wrong, {**shown, **ends})
    return found


CLAIM = Claim(
    name="duplicate",
    title="every value stands at one offset only",
    definition=__doc__,
    about="values that were read or are in a final leader's log",
    needs=("history",),
    uses=("replica_logs", "replica_ends"),
    part=Values,
    judge=judge,
)
