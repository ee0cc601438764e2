"""Whether a replica that may not join the ISR holds the high watermark back."""

from highwater.faults.block_link import BlockLink
from highwater.faults.expire_session import ExpireSession
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.caught_up_outside import caught_up_outside


@scenario(
    source="KAFKA-15021; Partition.isReplicaIsrEligible; KIP-841",
    claims=("lost-write", "high-watermark-regression", "replica-divergence"),
    plays_on=">=3.3",
    turns_at=("3.6",),
    modes=("kraft",),  # ZooKeeper fences nobody
    replicas=2,
    settings={"replica.lag.time.max.ms": "10000", "broker.session.timeout.ms": "3000"},
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "1"},
)
def fenced_holds_nobody_back(play: Play, partition: Partition) -> None:
    """A follower that the controller has fenced is caught up, and cannot be in the ISR.

    It is out of the ISR already when the controller hears of it no more. Then it fetches, and its
    second fetch asks for all that the leader had at its first. Up to 3.5 its leader waits for it
    from then on, as for one that may join at any moment. From 3.6 on its leader looks whether it
    may (KAFKA-15021), and waits for nobody.
    """
    leader, follower = partition.replicas
    probe, topic = play.cluster.probe(follower), partition.where.topic
    one_everywhere(partition)
    blocked = play.inject(BlockLink(follower=follower, leader=leader))
    missed = partition.send(1, ACKS_ONE, to=leader).end_offset
    partition.await_isr(leader)
    partition.await_state(
        "it has heard of that", lambda: probe.partitions(topic)[0].isr == (leader,)
    )
    fenced = play.inject(ExpireSession(follower))
    third_fetch, second = caught_up_outside(play, partition, blocked, missed)
    end = partition.send(1, ACKS_ONE, to=leader).end_offset
    ends = {leader: end, follower: second}
    committed = end if play.cluster.kafka.at_least("3.6") else second
    partition.require_offsets("it is waited for, or not", ends, {leader: committed})
    play.abandon(third_fetch)
    partition.await_offsets("it has that, too", dict.fromkeys(ends, end), {leader: end})
    play.heal(fenced)
    partition.await_isr(leader, follower)
    partition.require_acked(partition.send(1))
