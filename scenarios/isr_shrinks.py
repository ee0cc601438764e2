"""What a send with acks=all waits for when a follower no longer fetches."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="replica.lag.time.max.ms; Partition.maybeShrinkIsr",
    claims=("lost-write", "replica-divergence"),
    settings={"replica.lag.time.max.ms": "12000"},
    topic_settings={"min.insync.replicas": "2"},
)
def isr_shrinks(play: Play, partition: Partition) -> None:
    """A follower stops fetching; sends wait for it, until the leader puts it out of the ISR.

    The other follower has the records at once, and they are not committed all the same: acks=all
    means all that are in sync, and who is late is in sync for another replica.lag.time.max.ms. The
    ISR shrinks, the high watermark moves on, and what waited is acknowledged.
    """
    leader, quick, late = partition.replicas
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject(HoldRequests(leader, late, partition.where))
    play.await_standing([held])
    with play.load(play.topics[0], rate_per_s=20) as load:
        partition.await_state(
            "the other follower has more", lambda: partition.log_end_offset(quick) > old[quick]
        )
        acked, isr = load.acked, partition.state().isr
        partition.require("all are in sync", isr == tuple(sorted(old)))
        partition.require("nothing of that is acknowledged", acked == 0)
        partition.require_offsets("nor committed", {late: old[late]}, {leader: old[leader]})
        partition.await_isr(leader, quick)
        load.await_acked(20)
        partition.require_offsets("who was late has none of it", {late: old[late]})
    play.heal(held)
    partition.await_isr(*partition.replicas)
