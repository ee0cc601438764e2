"""KAFKA-15608: a leader that moves to another disk forgets the leader epochs without records."""

from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.left_out import comes_in_or_is_left
from highwater.scenarios.acts.noted_epochs import noted_epochs
from highwater.scenarios.acts.other_log_dir import moves_to_other_log_dir


@scenario(
    source="KAFKA-15608; KAFKA-20961",
    reproduces=">=2.8",
    plays_on=">=2.0",  # DescribeLogDirs
    modes=("zookeeper", "kraft>=3.7"),  # KIP-858
    ablations=("BlockLink",),
    claims=("left-behind",),
    settings={"replica.lag.time.max.ms": "2500"},
    topic_settings={"min.insync.replicas": "2"},
    two_log_dirs=True,
)
def kafka15608_forgotten_epoch(play: Play, partition: Partition) -> None:
    """A follower that has every record stays out of the ISR until somebody sends the next one.

    Another replica leads for a moment, and nobody sends to it: its log has no record of that leader
    epoch, and notes where it began all the same. It is cut off from the one that leads next, which
    notes an epoch of its own, and whose replica is moved to the other log directory of its broker:
    copied are records, and with them the epochs that they are of. Now the link is back. Since 2.8 a
    follower says in each fetch which epoch is its last one. The leader knows none so late, answers
    that the offset is out of range, and the follower, which finds that it is not, asks again.

    The next record tells the leader its own epoch. A broker that starts forgets what it noted of
    epochs without records, so that a restart of the follower helps as well.
    """
    leader, former, third = partition.replicas
    base = partition.send(3)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("three records, committed on all three", everywhere, everywhere)
    partition.move_leader(former)
    partition.await_leader(former, isr=partition.replicas)
    apart = play.inject(BlockLink(follower=former, leader=leader))
    partition.move_leader(leader)
    partition.await_leader(leader, isr=partition.replicas)
    moves_to_other_log_dir(play, partition, leader)
    partition.await_isr(leader, third)
    noted = [noted_epochs(play, partition, each) for each in (leader, former)]
    play.step(f"the leader notes the epochs {noted[0]}, the former one {noted[1]}")
    play.heal(apart)
    if not comes_in_or_is_left(play, partition, former):
        play.step("left out: somebody sends")
        partition.require_acked(partition.send(1))
