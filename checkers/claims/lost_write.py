"""A record acknowledged with acks=all is in no poll and not in the final leader's log.

It is called lost only where readers and segments agree: a reader got to the end of the leader's
log, the replicas had settled, and that log is in the record, whole. Anything less is UNKNOWN: the
high watermark of a young leader hides records that are all there. What that log has is not lost,
read or not. In a record without replica tables Jepsen's rule holds: lost is what was acknowledged
below the furthest offset read, or below the position where a reader found the log's end; beyond it
a record is unseen, and nobody can tell. Records sent with acks=1 or acks=0 may vanish: they are
told of, not counted.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.reach import undecided
from highwater.checkers.whereabouts import still_on


def judge(part: Values) -> Findings:
    found = Findings(considered=int(np.count_nonzero(part.acknowledged)))
    unread = part.is_kind(SEND) & part.is_word("outcome", "ok") & ~part.read
    promised = part.acknowledged
    for number in np.unique(part["place"][unread]):
        place = part.places[number]
        left = unread & (part["place"] == number)
        for why, rows in undecided(part.facts, place, part["offset"], part.on_leader):
            if why:
                about = f"{place[0]}-{place[1]}: {why}"
                found.doubt(about, np.count_nonzero(left & rows & promised))
            left &= ~rows
        shown = part.shown("topic", "partition", "offset", "value", "acks", "client")
        times = part.shown("invoked_ns", "completed_ns")
        found.anomaly(left & promised, {**shown, **times}, lambda row: still_on(part, row))
        for acks in ("0", "1"):
            found.allow(f"lost, sent with acks={acks}", left & part.is_word("acks", acks))
    return found


CLAIM = Claim(
    name="lost-write",
    title="every acknowledged write is still there",
    definition=__doc__,
    about="sends acknowledged with acks=all",
    needs=("history",),
    uses=("replica_logs", "replica_ends"),
    part=Values,
    judge=judge,
)
