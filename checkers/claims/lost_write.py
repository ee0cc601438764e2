"""A committed record is not in the final leader's log.

Committed is what was acknowledged with acks=all, and what a reader was handed, whatever its acks
and whether its sender heard of it or not: no reader is handed what lies above the high watermark.
(A record whose send failed is not asked for.) It is lost when the replicas had settled, the final
leader's log is in the record and undamaged, and that log does not have it. Then it does not matter
whether a reader was handed it before, or how far readers got. An unsettled state proves no loss:
the high watermark of a young leader hides records that are all there. What is below the start of
the log may have been deleted: nobody can tell, unless a reader was handed it before it went. Nor
can anybody of what a compacted topic lacks: it may be compacted away, handed to readers or not.

In a record without replica tables Jepsen's rule holds: lost is what was acknowledged with acks=all
at an offset that a reader passed, and was handed to no reader. A reader passes what lies between
where it began and where it got to: the last record that it was handed, or the end that it found.
Where it began is the first offset that it was handed, or offset 0 where `clients` says that it
begins at the earliest and is no member of a group, which goes on where that had committed. What no
reader passed, or all had passed before it was sent, is unseen, and nobody can tell. Nor can anybody
where a record has no value. Records sent with acks=1 or acks=0 that nobody was handed may vanish:
they are told of, not counted.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.reach import has_leader_log, is_there, lost
from highwater.checkers.whereabouts import traced


def judge(part: Values) -> Findings:
    named, facts = part.known("value"), part.facts
    sends = part.is_kind(SEND) & (part.is_word("outcome", "ok", "unknown") | part.open)
    judged_by_log = part.of_place(lambda place: has_leader_log(facts, place)) == 1
    promised = sends & (part.acknowledged | (judged_by_log & part.read))
    found = Findings(considered=int(np.count_nonzero(promised)))
    found.doubt("acknowledged without a value", np.count_nonzero(promised & ~named))
    asked = sends & (promised | part.is_word("outcome", "ok")) & named & ~is_there(part)
    gone = lost(part, asked, found, promised)
    shown = part.shown("topic", "partition", "offset", "value", "acks", "client")
    times = part.shown("invoked_ns", "completed_ns")
    found.anomaly(gone & promised, {**shown, **times}, lambda row: traced(part, row))
    for acks in ("0", "1"):
        vanished = gone & ~promised & part.is_word("acks", acks)
        found.allow(f"lost, sent with acks={acks}", vanished)
    return found


CLAIM = Claim(
    name="lost-write",
    title="every committed record is still there",
    definition=__doc__,
    about="sends acknowledged with acks=all",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Values,
    judge=judge,
)
