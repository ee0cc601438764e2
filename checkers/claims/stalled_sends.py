"""For thirty seconds and more sends to a partition were waiting, and none was acknowledged.

That is the default of request.timeout.ms. Faults that last longer are for the scenario to tolerate.
Time goes by tenths of a second: one counts when a send waited through all of it, or was sent in
vain in it; who tries again within a second has not ceased to wait. One that was never answered
waits until the record ends; where none in a partition was ever answered, nobody can tell. Sends
with acks=0 wait for nothing, and those in a transaction end with it: they are not asked, though a
commit acknowledges them. The longest such time is told, and what was acknowledged under each fault.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.progress import STALLED_TENTHS, TENTH_NS, Progress, stalls
from highwater.checkers.waiting import open_since

OPEN = 0  # the notes about sends that were never answered


def judge(part: Values) -> Findings:
    found = list(open_since(part))
    return Findings(notes={OPEN: found} if found else {})


def conclude(found: Findings, facts: Facts) -> Findings:
    last, longest = facts.last_ns // TENTH_NS, 0
    for place, begun in found.notes.get(OPEN, []):
        progress = facts.progress.setdefault(place, Progress())
        progress.asked += sum(begun.values())
        if progress.answered:
            progress.wait(begun, last)
        else:
            found.doubt("never answered, nor was any other in its partition", sum(begun.values()))
    asked = sorted((place, one) for place, one in facts.progress.items() if one.asked)
    found.considered = len(asked)
    for (topic, partition), progress in asked:
        for since, until in stalls(progress):
            longest = max(longest, until - since)
            if until - since >= STALLED_TENTHS:
                times = {"since_ns": since * TENTH_NS, "until_ns": until * TENTH_NS}
                found.one_anomaly({"topic": topic, "partition": partition, **times})
    if asked:
        found.remark = f"the longest time without an acknowledgement: {longest / 10:.1f} s"
    return found


CLAIM = Claim(
    name="stalled-sends",
    title="of the sends that wait one is acknowledged",
    definition=__doc__,
    about="partitions with sends that wait for acknowledgements",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
    conclude=conclude,
)
