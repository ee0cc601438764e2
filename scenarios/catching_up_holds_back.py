"""Who holds the high watermark back without being in the ISR."""

from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.caught_up_outside import caught_up_outside


@scenario(
    source="Partition.maybeIncrementLeaderHW; KAFKA-15021 leaves out who may not join the ISR",
    claims=("lost-write", "high-watermark-regression", "replica-divergence"),
    turns_at=("0.10.2",),  # before KAFKA-4485 who is not in the ISR is waited for by nobody
    replicas=2,
    settings={"replica.lag.time.max.ms": "3000"},
    topic_settings={"min.insync.replicas": "1"},
)
def catching_up_holds_back(play: Play, partition: Partition) -> None:
    """The leader is alone in the ISR, and waits for a follower all the same.

    The follower has been put out of the ISR. It comes back for what it lacks, and its second fetch
    asks for all that the leader had at its first: that counts as caught up, though ten records have
    been committed meanwhile, without it. From then on the leader waits for the follower as if it
    were in the ISR: otherwise a busy leader would run away from it for ever. One more record is
    not committed, until the follower has fetched it.

    Up to 0.10.1 the high watermark is the smallest log end of the ISR and of nobody else, and the
    one more record is committed at once (KAFKA-4485).
    """
    leader, follower = partition.replicas
    one_everywhere(partition)
    blocked = play.inject(BlockLink(follower=follower, leader=leader))
    partition.send(9, ACKS_ONE, to=leader)
    partition.await_isr(leader)
    first = partition.send(1, ACKS_ONE, to=leader).end_offset
    partition.await_offsets("the leader commits alone", {leader: first}, {leader: first})
    third_fetch, second = caught_up_outside(play, partition, blocked, first)
    third = partition.send(1, ACKS_ONE, to=leader).end_offset
    ends = {leader: third, follower: second}
    if play.cluster.kafka.at_least("0.10.2"):
        partition.require_offsets("one more is not committed", ends, {leader: second})
    else:
        partition.await_offsets("one more is committed", ends, {leader: third})
    play.heal(third_fetch)
    both = dict.fromkeys(partition.replicas, third)
    partition.await_offsets("until the follower has it", both, both)
