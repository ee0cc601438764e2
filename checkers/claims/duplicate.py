"""One value stands at two or more offsets of a partition.

Offsets count where a consumer was handed the record, and where the segments of the final leader
hold it; of a record found so, the one that it was acknowledged at with acks=all counts too. What is
found elsewhere stands at both, or was never where the broker said. Sends with acks=1 or acks=0 do
not count: the copy that was acknowledged may legally be lost. A producer without idempotence may
write twice what it sent once: a scenario that uses one says that it tolerates this.

How many records readers were handed more than once, all readers together, is told and allowed.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import LOG, POLL, Values
from highwater.checkers.rows import changes

OFTEN = 4


def judge(part: Values) -> Findings:
    kept = part.is_kind(LOG) & (part["broker"] == part.leaders) & part.known("broker")
    seen = (part.is_kind(POLL) | kept) & part.known("value")
    groups, offset = part.by_value_here, part["offset"]
    stands = seen | (part.acknowledged & part.known("value") & (offset >= 0))
    considered = groups.have(seen)
    found = Findings(considered=int(np.count_nonzero(considered)))
    handed = groups.count(part.is_kind(POLL) & part.known("value"))
    for times in range(2, min(int(handed.max(initial=0)), OFTEN) + 1):
        how = f"{times} times" if times < OFTEN else "more often"
        found.allow(f"handed out {how}", handed == times if times < OFTEN else handed >= OFTEN)
    rows = np.flatnonzero(stands)
    if not (changes(offset[rows]) & ~groups.begin(rows)).any():
        return found
    first, last = groups.least(offset, stands), groups.largest(offset, stands)
    wrong = np.zeros(len(seen), bool)
    wrong[groups.starts] = considered & (first < last)
    ends = {"offset": (groups.spread(first), None), "also_at": (groups.spread(last), None)}
    found.anomaly(wrong, {**part.shown("topic", "partition", "value"), **ends})
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
