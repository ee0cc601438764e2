"""What a follower's lag is counted in."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE

MANY = 20_000


@scenario(
    source="KIP-16: replica.lag.time.max.ms, and no replica.lag.max.messages any more",
    claims=("lost-write", "replica-divergence"),
    # The latter no broker knows since 0.9: it is told, and nothing comes of it.
    settings={"replica.lag.time.max.ms": "12000", "replica.lag.max.messages": "4"},
    topic_settings={"min.insync.replicas": "2"},
)
def lag_is_time(play: Play, partition: Partition) -> None:
    """Twenty thousand records behind, a follower is in the ISR; one record behind, it is put out.

    In the first case it lacks them for a moment, in the second for longer than
    replica.lag.time.max.ms. How many they are, and what replica.lag.max.messages says, is nothing
    to anybody.
    """
    leader, quick, late = partition.replicas
    everybody, where = tuple(sorted(partition.replicas)), partition.where
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject(HoldRequests(leader, late, where))
    play.await_standing([held])
    many = partition.send(MANY, ACKS_ONE, to=leader)
    partition.require_acked(many)
    partition.require_offsets("all of it is missing", {leader: many.end_offset, late: old[late]})
    partition.require("it is in the ISR", partition.state().isr == everybody)
    play.heal(held)
    end = dict.fromkeys(partition.replicas, many.end_offset)
    partition.await_offsets("it has all of it", end, end)
    partition.require("it has been in the ISR all the time", partition.state().isr == everybody)
    held = play.inject(HoldRequests(leader, late, where))
    play.await_standing([held])
    partition.require_acked(partition.send(1, ACKS_ONE, to=leader))
    partition.await_isr(leader, quick)
    partition.require_offsets("a single one is missing", {late: many.end_offset})
    play.heal(held)
    partition.await_isr(*partition.replicas)
