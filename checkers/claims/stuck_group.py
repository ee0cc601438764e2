"""A group that nothing was done to any more had records to read, and was handed none of them.

Asked is of each partition that its members were given, at the group's end, when members were told
to stop. From when on nothing was done the record says (`steady` of run.json): no fault was in
effect, no member came, was killed, frozen or kept busy, and it was to read the same topics. From
there on a member that is gone is noticed within session.timeout.ms, and the others begin anew; so a
group may be handed nothing of a partition for that long and 30 s more. Charged is one that was
handed nothing for longer, though a record lay beyond all that it committed and was handed, which
another reader, of committed records, was handed from the log after all that was over; and that
could be read in time, because it had been acknowledged with acks=all by then, and nobody sent in
transactions, which readers wait for, or because that other reader had been handed it by then.
However late it was given a partition, it has been handed nothing of it until then. What had been
handed out when somebody was given the partition last, and lies beyond all that members asked to
commit, is to be handed out again; where none asked, or commits were left to libraries, it is not
asked for. A group that had nothing left, or that was handed something in the end, moves, however
slowly. Nobody can tell of a group that was not left alone for so long, or whose member that had the
partition was handed records of others meanwhile, which a library may hand out first; or of which
nobody knows where it began; of what may have been deleted; where somebody was handed it who may be
a member; nor where something lies beyond, or may, that no such reader passed.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.parts import Values
from highwater.checkers.standstills import each_decided, left, together


def judge(part: Values) -> Findings:
    return Findings(notes={number: [found] for number, found in left(part)})


def conclude(found: Findings, facts: Facts) -> Findings:
    notes, found.notes = found.notes, {}
    lefts = [together(notes.get(number, [])) for number in range(len(facts.left_alone))]
    pairs = list(zip(facts.left_alone, lefts, strict=True))
    found.take_in(findings_of(each_decided(facts, pairs)))
    return found


CLAIM = Claim(
    name="stuck-group",
    title="a group that nothing is done to is handed what there is to read",
    definition=__doc__,
    about="partitions that members of groups were given",
    needs=("history", "clients", "assignments"),
    uses=("commits", "replica_logs", "replica_ends"),
    part=Values,
    judge=judge,
    conclude=conclude,
)
