"""For more than thirty seconds a replica was left out of the ISR, and nothing kept it out.

A follower fetches as soon as its broker knows who leads, and is in the ISR again when it has what
is committed, and what the leader's epoch began with (Partition.isFollowerInSync). Charged is one
that all looks of more than 30 s saw among the replicas of its partition and not in the ISR, after
the last fault was healed (`healed_ns` of run.json), while one broker led in one epoch, the leader's
log end and the replica's own stayed where they were, and all looks at its broker (`liveness`) saw
it run, registered and answering. Looks that are more than ten seconds apart say nothing of the time
between them. Asked is of replicas whose brokers a scenario watches. A broker one of whose log
directories has failed, and a throttle that lets next to nothing through, are for the scenario to
tolerate.

Nobody can tell where nobody told when all was healed; nor of one that was still left out in the
end, and had not been for so long.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.left_behind import judged_by_replica
from highwater.checkers.parts import Samples


def judge(part: Samples) -> Findings:
    return findings_of(judged_by_replica(part))


CLAIM = Claim(
    name="left-behind",
    title="a follower that lives comes into the ISR",
    definition=__doc__,
    about="replicas whose brokers were watched",
    needs=("replica_states", "liveness"),
    part=Samples,
    judge=judge,
)
