"""One value stands at two or more offsets of a partition.

Offsets count where a consumer was handed the record, and where the segments of the final leader
hold it; of a record found so, the one that it was acknowledged at with acks=all counts too. What is
found elsewhere stands at both, or was never where the broker said. Sends with acks=1 or acks=0 do
not count: the copy that was acknowledged may legally be lost. A producer without idempotence may
write twice: where `clients` says that it had none, that is told and allowed.

What an application sent again, as it was not told what had become of it, may stand as often as it
was sent: nobody promises to know it for the same (KafkaProducer). That is told and allowed, unless
nothing stands where it was acknowledged, by the final leader's log, or, without one, a reader that
passed there later. Where a send failed the log may keep a copy, which readers of uncommitted
records may be handed, and no others. Where nobody knows whether one was aborted, nobody can tell.
How many records readers were handed more than once, all readers together, is told and allowed.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers import attempts
from highwater.checkers.astray import not_allowed
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.rows import changes


def judge(part: Values) -> Findings:
    groups, offset, kept = part.by_value_here, part["offset"], part.kept_by_leader
    seen = (part.polled | (kept & ~attempts.may_be_aborted(part, kept))) & (offset >= 0)
    stands = seen | (part.acknowledged & part.known("value") & (offset >= 0))
    considered = groups.have(seen)
    found = Findings(considered=int(np.count_nonzero(considered)))
    for how, values in attempts.handed_out(part):
        found.allow(how, values)
    rows = np.flatnonzero(stands)
    if not (changes(offset[rows]) & ~groups.begin(rows)).any():
        return found
    first, last = groups.least(offset, stands), groups.largest(offset, stands)
    wrong = np.zeros(len(seen), bool)
    wrong[groups.starts] = considered & (first < last)
    wrong = not_allowed(part, found, wrong, stands)
    unclear = wrong & ~attempts.stand_apart(part, stands, kept)
    found.doubt("with a copy that may be aborted", np.count_nonzero(unclear))
    ends = {"offset": (groups.spread(first), None), "also_at": (groups.spread(last), None)}
    found.anomaly(wrong & ~unclear, {**part.shown("topic", "partition", "value"), **ends})
    return found


CLAIM = Claim(
    name="duplicate",
    title="every value stands at one offset only",
    definition=__doc__,
    about="values that were read or are in a final leader's log",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Values,
    judge=judge,
)
