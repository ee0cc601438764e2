"""For thirty seconds and more sends to a partition were waiting, and none was acknowledged.

That is the default of request.timeout.ms. Faults that last longer are for the scenario to tolerate.
Time goes by tenths of a second: one counts when a send waited through all of it, or was sent in
vain in it; who tries again within a second has not ceased to wait. A send that was never answered
waits until the last thing that the record tells of a client; where no send to a partition was ever
answered, nobody can tell. Sends with acks=0 wait for nothing, and sends in a transaction end with
it: they are not asked. The longest such time is told, and for each fault of the timeline how many
sends were acknowledged while it was open, how long none was, and when one was again.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.progress import TENTH_NS, Progress, stalls
from highwater.checkers.waiting import open_since

STALLED_TENTHS = 300
OPEN = 0  # the notes about sends that were never answered


def judge(part: Values) -> Findings:
    found = list(open_since(part))
    return Findings(notes={OPEN: found} if found else {})


def conclude(found: Findings, facts: Facts) -> Findings:
    last = facts.last_ns // TENTH_NS
    for place, begun in found.notes.get(OPEN, []):
        progress = facts.progress.setdefault(place, Progress())
        if progress.answered:
            progress.wait(begun, last)
        else:
            found.doubt("never answered, nor was any other in its partition", sum(begun.values()))
    longest = 0
    for (topic, partition), progress in sorted(facts.progress.items()):
        found.considered += 1
        for since, until in stalls(progress):
            longest = max(longest, until - since)
            if until - since >= STALLED_TENTHS:
                times = {"since_ns": since * TENTH_NS, "until_ns": until * TENTH_NS}
                found.one_anomaly({"topic": topic, "partition": partition, **times})
    found.remark = f"the longest time without an acknowledgement: {longest / 10:.1f} s"
    return found


CLAIM = Claim(
    name="stalled-sends",
    title="of the sends that wait one is acknowledged",
    definition=__doc__,
    about="partitions that were sent to",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
