"""Whether a replica that may not join the ISR holds the high watermark back."""

from highwater.faults.expire_session import ExpireSession
from highwater.faults.hold_requests import HoldRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE


@scenario(
    source="KAFKA-15021; Partition.isReplicaIsrEligible; KIP-841",
    claims=("lost-write", "high-watermark-regression", "replica-divergence"),
    plays_on=">=3.3",
    modes=("kraft",),  # ZooKeeper fences nobody
    replicas=2,
    settings={
        "replica.lag.time.max.ms": "30000",  # longer than it is held
        "broker.session.timeout.ms": "3000",
    },
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "1"},
)
def fenced_holds_nobody_back(play: Play, partition: Partition) -> None:
    """A follower that the controller has fenced is caught up, and cannot be in the ISR.

    It fetches all that there is, and the controller does not hear of it. Up to 3.5 its leader waits
    for it before it commits, as for one that may join at any moment. From 3.6 on its leader looks
    whether it may (KAFKA-15021), and it is waited for by nobody.
    """
    leader, follower = partition.replicas
    base = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)
    fenced = play.inject(ExpireSession(follower))
    partition.await_isr(leader)
    caught_up = partition.send(1, ACKS_ONE, to=leader).end_offset
    both = dict.fromkeys(partition.replicas, caught_up)
    partition.await_offsets("it fetches all the same", both, {leader: caught_up})
    next_fetch = play.inject(HoldRequests(leader, follower, partition.where, caught_up))
    play.await_standing([next_fetch])
    end = partition.send(1, ACKS_ONE, to=leader).end_offset
    ends = {leader: end, follower: caught_up}
    if play.cluster.kafka.at_least("3.6"):
        partition.require_offsets("its leader commits alone", ends, {leader: end})
    else:
        partition.require_offsets("its leader waits for it", ends, {leader: caught_up})
    play.heal(next_fetch)
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("the follower has it", everywhere, {leader: end})
    play.heal(fenced)
    partition.await_isr(leader, follower)
    partition.require_acked(partition.send(1))
