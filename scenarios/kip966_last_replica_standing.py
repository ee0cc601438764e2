"""KIP-966: the last member of the ISR is the one that counts, whatever it has lost."""

from highwater.faults.block_link import BlockLink
from highwater.faults.cut_tail import CutTail
from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE

UNFLUSHED = "a leader that had flushed nothing lost power, and led again"


@scenario(
    source="KIP-966",
    reproduces="<4.1",
    plays_on=">=2.0.1",
    restored_by=("elr=off",),
    cured_by=("elr=on",),
    ablations=("CutTail",),
    claims=("lost-write",),
    settings={"replica.lag.time.max.ms": "3000"},
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": UNFLUSHED},
)
def kip966_last_replica_standing(play: Play, partition: Partition) -> None:
    """A whole copy is alive, and nobody may elect it.

    One replica is down for maintenance. Ten records are acknowledged by the two that are left, as
    min.insync.replicas=2 demands. Then the link between them stands still, and the follower leaves
    the ISR: it has every acknowledged record, but the leader alone is in sync now. The leader loses
    power, and with it what it had not flushed. The partition is offline, as no unclean leader may
    be elected, until the leader is back: it leads, cleanly, and the follower cuts its whole copy.

    With eligible leader replicas, which new clusters have from 4.1 on, the follower is remembered
    as one that may lead, and is elected at once. (Before 2.0.1 a follower refuses to cut its log
    below what is committed: its broker stops for good.)
    """
    leader, survivor, absent = partition.replicas
    base = partition.send(5)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("five records, committed on all three", everywhere, everywhere)

    play.inject(Stop(absent))
    partition.await_isr(leader, survivor)
    batch = partition.send(10)
    partition.require_acked(batch)
    both = dict.fromkeys((leader, survivor), batch.end_offset)
    partition.await_offsets("ten more, committed on the two that are left", both, both)

    play.inject(BlockLink(follower=survivor, leader=leader))
    partition.send(1, ACKS_ONE, to=leader)  # who lacks nothing is never too slow
    partition.await_isr(leader)
    play.inject(Kill(leader))
    play.inject(CutTail(leader, partition.where, base.end_offset))
    partition.await_deposed(leader)
    partition.require_offsets("the survivor has all of it", {survivor: batch.end_offset})
    play.heal()
    partition.await_elected()
