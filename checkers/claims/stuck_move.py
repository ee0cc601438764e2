"""For longer than 30 s a move of replicas had all whom it adds in the ISR, and was not done.

A move (reassignment) gives a partition to brokers that it adds and takes it from brokers that it
removes; it is done when the controller lists it no more. When all whom it adds are in the ISR, and
they are no fewer than those who go, then as many are in sync without those who go as there were
before it began. A replica that stays where it is need not be in sync for that: if it is out of
sync, it was before, or it is so for another reason (KAFKA-19975). Charged is a move of which all
looks of more than 30 s say that it is under way though its partition has a leader, its ISR has all
whom the move adds, and those it is assigned to are still all who come and all who go. Looks that
are more than ten seconds apart say nothing of the time between them. It is charged though it was
done in the end. Faults may be in effect meanwhile: the controller is asked, and answers, and all
that it has to do is to write down what it knows. Controllers that use ZooKeeper are not asked: they
wait until all are in sync who are to have the partition.

Of a move that takes the partition from nobody the brokers cannot tell that it is done, and of one
that takes it from more than it adds somebody has to be waited for: neither is charged. Nobody can
tell of a move that waits for nobody at the last look, and has not for so long.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.moves import judged_by_partition
from highwater.checkers.parts import Samples


def judge(part: Samples) -> Findings:
    return findings_of(judged_by_partition(part))


CLAIM = Claim(
    name="stuck-move",
    title="a move that waits for nobody is done",
    definition=__doc__,
    about="partitions whose replicas were to move",
    needs=("reassignments",),
    part=Samples,
    judge=judge,
)
