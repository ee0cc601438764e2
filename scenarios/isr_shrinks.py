"""What a send with acks=all waits for when a follower no longer fetches."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

EAGER = ProducerSettings(in_flight=5)  # sends on while a batch waits


@scenario(
    source="replica.lag.time.max.ms; Partition.maybeShrinkIsr",
    claims=("lost-write", "replica-divergence"),
    settings={"replica.lag.time.max.ms": "8000"},
    topic_settings={"min.insync.replicas": "2"},
)
def isr_shrinks(play: Play, partition: Partition) -> None:
    """A follower stops fetching; sends wait for it, until the leader puts it out of the ISR.

    The other follower has the records at once, and they are not committed all the same: acks=all
    means all that are in sync, and who is late is in sync for another replica.lag.time.max.ms. The
    ISR shrinks, the high watermark moves on, and what waited is acknowledged.
    """
    leader, quick, late = partition.replicas
    with play.load(play.topics[0], rate_per_s=20, settings=EAGER) as load:
        load.await_acked(5)
        held = play.inject(HoldRequests(leader, late, partition.where))
        play.await_standing([held])
        stopped = partition.log_end_offset(late)
        partition.await_state(
            "the other follower has more",
            lambda: partition.log_end_offset(quick) > stopped,
        )
        committed = partition.high_watermark(leader)
        isr = partition.state().isr
        partition.require("all are in sync", isr == tuple(sorted(partition.replicas)))
        partition.require("nothing of that is committed", committed <= stopped, committed=committed)
        partition.await_isr(leader, quick)
        load.await_acked(20)
        partition.require_offsets("who was late has none of it", {late: stopped})
    play.heal(held)
    partition.await_isr(*partition.replicas)
