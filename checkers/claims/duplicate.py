"""One value stands at two or more offsets of a partition.

Offsets count where a consumer was handed the record, and where the segments of the final leader
hold it; of a record found so, the one that it was acknowledged at with acks=all counts too. What is
found elsewhere stands at both, or was never where the broker said. Sends with acks=1 or acks=0 do
not count: the copy that was acknowledged may legally be lost. A producer without idempotence may
write twice: where `clients` says that it had none, that is told and allowed.

An application that sends a value again, because it was not told what had become of it, may find as
many copies as it sent: nobody promises to know them for one (KafkaProducer). That is told and
allowed, unless nothing of it stands where it was acknowledged, by the final leader's log, or,
without one, a reader that passed there afterwards. Where one of the sends failed, the log may keep
a copy of it, and readers of uncommitted records may be handed that; no other reader is handed one
of an aborted transaction. Where nobody knows whether one was aborted, nobody can tell.

How many records readers were handed more than once, all readers together, is told and allowed.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers import attempts
from highwater.checkers.claim import Claim
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.reach import (
    begins,
    excuses_for_unread,
    has_leader_log,
    is_settled,
    leader_starts,
)
from highwater.checkers.rows import NONE, Bools, changes


def judge(part: Values) -> Findings:
    groups, offset = part.by_value_here, part["offset"]
    kept = part.kept_by_leader
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
    as_sent = wrong & ~attempts.beyond_sends(part, stands)
    if as_sent.any():
        as_sent &= ~groups.anywhere(_astray(part))
    found.allow("stand as often as they were sent", as_sent)
    wrong &= ~as_sent
    by_contract = wrong & groups.anywhere(attempts.may_be_repeated(part))
    found.allow(attempts.NO_IDEMPOTENCE, by_contract)
    unclear = wrong & ~by_contract & ~attempts.stand_apart(part, stands, kept)
    found.doubt("with a copy that may be aborted", np.count_nonzero(unclear))
    wrong &= ~(by_contract | unclear)
    ends = {"offset": (groups.spread(first), None), "also_at": (groups.spread(last), None)}
    found.anomaly(wrong, {**part.shown("topic", "partition", "value"), **ends})
    return found


def _astray(part: Values) -> Bools:
    """Acknowledged where nothing of it stands, though it stands elsewhere.

    The final leader's log says so, and where there is none a reader that passed it afterwards.
    """
    facts, offset = part.facts, part["offset"]

    def by_log(place: Place) -> bool:
        may_lack = facts.promises.topic(place[0]).tiered or bool(facts.leader_log(place).problems)
        return has_leader_log(facts, place) and is_settled(facts, place) and not may_lack

    firm = part.of_place(lambda place: not facts.promises.is_compacted(place[0])) == 1
    asked = part.acknowledged & (offset >= 0) & firm
    starts = leader_starts(part)
    kept = asked & part.on_leader & (starts != NONE) & (offset >= starts)
    kept &= part.of_place(by_log) == 1
    seen = asked & part.read & (offset >= part.of_place(lambda place: begins(facts, place)))
    seen &= part.of_place(lambda place: has_leader_log(facts, place)) == 0
    if seen.any():
        for _, rows in excuses_for_unread(part, offset, seen):
            seen &= ~rows
    found = np.zeros(len(offset), bool)
    for astray, there in ((kept, part.kept_by_leader), (seen, part.polled)):
        rows = np.flatnonzero(astray)
        found[rows] = ~attempts.stand_with(part, rows, np.flatnonzero(there))
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
