"""A group committed a position that lies beyond all that its partition's log has ever held.

Whoever takes over begins there, so that the next records to be written below that position are
handed to nobody. Asked is of each group, in each partition, the highest position that was confirmed
to one of its members. It is charged where the replicas had settled in the end, and it lies beyond
the end of each of their logs, and of all that anybody told of records there: sends, records handed
to readers or in any log, and ends that readers came to. What was written there later excuses it;
whether a group passes over that is told by unprocessed.

A log may have been longer, and cut short. So nobody can tell where nobody is known to have sent to
the topic; of a position beyond which no record is told of, where it lies so near that what was
sent may have stood there, nobody told at which offset: a record and a marker for each such send (of
a producer known to be without idempotence each of them; of those that were aborted none that stands
in a log), and for each client that may use transactions; where all that was sent, each record once,
with a marker for each transaction, would reach so far: it may have been cut off, and written again
at lower offsets; where a damaged record says that it stands there; or where members of the group
told that they had processed what did. Positions that others set are for the scenario to tolerate.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.log_ends import extents, log_ends, why_unsure
from highwater.checkers.parts import Values


def judge(part: Values) -> Findings:
    return Findings(notes={0: [extents(part)]}) if part.facts.positions else Findings()


def conclude(found: Findings, facts: Facts) -> Findings:
    notes, found.notes = found.notes, {}
    for place, log in log_ends(facts, notes.get(0, [])).items():
        for group, positions in facts.positions[place].items():
            if (top := positions.top) is None:
                continue
            found.considered += 1
            if top.offset <= log.end:
                continue
            if why := why_unsure(facts, (place, group), top.offset, log):
                found.doubt(why, 1)
            else:
                where = {"topic": place[0], "partition": place[1], "group": group}
                found.one_anomaly({**where, **top._asdict(), "log_end_offset": log.end})
    return found


CLAIM = Claim(
    name="committed-beyond-end",
    title="no group commits a position beyond the end of the log",
    definition=__doc__,
    about="partitions in which positions were confirmed to groups",
    needs=("commits", "replica_ends"),
    uses=("history", "replica_logs", "clients", "processed"),
    part=Values,
    judge=judge,
    conclude=conclude,
)
