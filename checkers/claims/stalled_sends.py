"""For thirty seconds and more sends to a partition were waiting, and none was acknowledged.

That is the default of request.timeout.ms, after which clients give up. Faults that last longer are
for the scenario to tolerate. Time goes by tenths of a second: one counts when a send waited through
all of it. However it ends, the longest such time is told, and for each fault of the timeline how
many sends were acknowledged while it was open, how long none was, and when one was again.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.progress import TENTH_NS, stalls

STALLED_TENTHS = 300


def judge(part: Samples) -> Findings:
    found, longest = Findings(considered=len(part.facts.progress)), 0
    for (topic, partition), progress in sorted(part.facts.progress.items()):
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
    part=Samples,
    judge=judge,
)
