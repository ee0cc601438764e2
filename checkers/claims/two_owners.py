"""A partition was given to a member while another one still held it, and both worked on it.

Within a group a partition has one owner: nobody is given it before its owner has given it up
(KIP-429, KIP-848), or left with everybody when the group was joined anew. But a group goes on
without a member that was not heard of for session.timeout.ms or did not poll for
max.poll.interval.ms (KIP-62), and that member hears of it with its next heartbeat: until then it
takes the partition for its own, and Kafka refuses nothing but its commits. Who holds a partition
has been assigned it, and has not said since that it was revoked or lost; who is assigned it again
without such a word, as one that was killed and came back under its name, held it nobody knows until
when, and no longer than until then. Charged is each assignment
after which both finished with records, in whatever order, while both held it. Where not both did,
it is told and no more; who was killed says nothing and does nothing, and who finishes with records
that he gave up before is not asked. Nobody can tell what came first of one moment, nor when
somebody held a partition of whom only his work on it is told.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples

HELD_TOO = "times a partition was held by two, of whom one at most worked on it"


def judge(_part: Samples) -> Findings:
    """Nothing of a part by itself: all of a group is known as a whole."""
    return Findings()


def conclude(found: Findings, facts: Facts) -> Findings:
    for each in facts.handovers:
        found.considered += len(each.at_ns)
        found.anomaly(each.shared, each.shown)
        found.doubt("nobody knows which came first", np.count_nonzero(each.unordered))
        found.doubt("nobody told when who worked too was given it", np.count_nonzero(each.unknown))
        found.allow(HELD_TOO, each.told)
    return found


CLAIM = Claim(
    name="two-owners",
    title="no two members of a group work on a partition that both hold",
    definition=__doc__,
    about="assignments of partitions to members of groups",
    needs=("assignments", "processed"),
    part=Samples,
    judge=judge,
    conclude=conclude,
)
