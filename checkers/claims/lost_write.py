"""A committed record is not in the final leader's log.

Committed is what was acknowledged with acks=all, and what a reader of committed records was handed,
whatever its acks and whether its sender heard of it or not. Such a record is lost when the replicas
had settled, the final leader's log is in the record and undamaged, and that log does not have it.
Then it does not matter whether a reader was handed it before, or how far readers got. An unsettled
state proves no loss: the high watermark of a young leader hides records that are all there.
What is below the start of the log may have been deleted, and what a compacted topic lacks may have
been compacted away: nobody can tell, unless a reader was handed it before it went.

In a record without replica tables Jepsen's rule holds: lost is what was acknowledged with acks=all
at an offset that a reader passed, and was handed to no reader. A reader passes what lies between
where it began and where it got to; where it began is the first offset that it was handed, or offset
0 where `clients` says that it begins at the earliest. What no reader passed is unseen, and nobody
can tell. Nor can anybody where a record has no value. Records sent with acks=1 or acks=0 that
nobody was handed may vanish: they are told of, not counted.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.reach import Records, has_leader_log, is_settled, undecided
from highwater.checkers.readings import end_below
from highwater.checkers.rows import Bools
from highwater.checkers.whereabouts import traced


def judge(part: Values) -> Findings:
    named, facts = part.known("value"), part.facts
    sends = part.is_kind(SEND) & part.is_word("outcome", "ok", "unknown")
    judged_by_log = part.of_place(lambda place: has_leader_log(facts, place)) == 1
    promised = sends & (part.acknowledged | (judged_by_log & part.read_as_committed))
    found = Findings(considered=int(np.count_nonzero(promised)))
    found.doubt("acknowledged without a value", np.count_nonzero(promised & ~named))
    asked = sends & (promised | part.is_word("outcome", "ok")) & named & ~_is_there(part)
    lost = _lost(part, asked, found, promised)
    shown = part.shown("topic", "partition", "offset", "value", "acks", "client")
    times = part.shown("invoked_ns", "completed_ns")
    found.anomaly(lost & promised, {**shown, **times}, lambda row: traced(part, row))
    for acks in ("0", "1"):
        vanished = lost & ~promised & part.is_word("acks", acks)
        found.allow(f"lost, sent with acks={acks}", vanished)
    return found


def _is_there(part: Values) -> Bools:
    """What needs no second look: the final log has it, or readers did and no end was below it."""
    facts = part.facts
    settled = part.of_place(lambda place: is_settled(facts, place)) == 1
    unled = part.of_place(lambda place: facts.leader(place) is None) == 1
    there: Bools = unled & part.read & ~end_below(part)
    if settled.any():
        there |= settled & part.on_leader
    return there


def _lost(part: Values, asked: Bools, found: Findings, promised: Bools) -> Bools:
    lost = np.zeros(len(asked), bool)
    hidden = part.read & end_below(part) if asked.any() else asked
    for number in np.unique(part["place"][asked]):
        place = part.places[number]
        left = np.flatnonzero(asked & (part["place"] == number))
        offset = part["offset"][left]
        records = Records(offset, part.read[left], part.on_leader[left], hidden[left])
        undecided_yet = np.ones(len(left), bool)
        for why, rows in undecided(part.facts, place, records):
            if why:
                count = np.count_nonzero(undecided_yet & rows & promised[left])
                found.doubt(f"{place[0]}-{place[1]}: {why}", count)
            undecided_yet &= ~rows
        lost[left[undecided_yet]] = True
    return lost


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
