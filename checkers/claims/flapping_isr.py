"""Under one leader, in one epoch, a replica came into the ISR five times within a minute.

A leader takes a replica in that has what is committed, and puts it out that has not caught up with
its log for replica.lag.time.max.ms: whoever comes in has been there a moment ago. Where fewer are
in sync than min.insync.replicas asks for, the high watermark stands, and what is committed with
it: a replica that cannot keep up is taken in however far it is behind, and is put out again, and
so on (KAFKA-19996). Each time everybody is told of another ISR. A replica has come in between two
looks of the same leader and epoch of which the second one alone has it; of looks of one moment that
say different things nobody knows the order, and they say nothing. Not counted is who comes in after
a fault began or ended, or a broker came or went, since it was last seen in the ISR (`disturbed_ns`
of run.json). One anomaly for each replica.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.joins import judged_by_member
from highwater.checkers.parts import Samples


def judge(part: Samples) -> Findings:
    return findings_of(judged_by_member(part))


CLAIM = Claim(
    name="flapping-isr",
    title="a replica that comes into the ISR does not do so again and again",
    definition=__doc__,
    about="replicas that were seen in an ISR",
    needs=("replica_states",),
    part=Samples,
    judge=judge,
)
