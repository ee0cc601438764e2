"""Where leader, leader epoch and ISR of a partition are written down, and who tells them."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.kept_and_told import KeptAndTold


@scenario(
    source="Kafka Detailed Replication Design V3; KIP-500; KIP-631: PartitionChangeRecord; KIP-966",
    claims=("lost-write", "replica-divergence"),
    turns_at=("2.1",),
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "committed-truncation": "until 0.11 a broker that starts cuts its log at its checkpoint"
    },
)
def state_where_it_is_kept(play: Play, partition: Partition) -> None:
    """Who leads, in which epoch, and who is in sync is kept in one place, and brokers tell that.

    With ZooKeeper it is a node of the partition, and brokers hear of it from the controller. With
    KRaft it is the log of metadata, of which every broker has a copy: a record of the partition,
    and one of each change since. It is read there as it is created, when another broker leads, when
    a follower has died, and when it is back; and all brokers that live are asked. They tell the
    leader epoch from 2.1 on.
    """
    first, second, third = partition.replicas
    state = KeptAndTold(play, partition)
    state.require_same(first, second, third)
    partition.require_acked(partition.send(1))
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    state.require_same(first, second, third)
    dead = play.inject(Kill(third))
    partition.await_isr(first, second)
    partition.require_acked(partition.send(1))
    state.require_same(first, second)
    play.heal(dead)
    partition.await_isr(first, second, third)
    state.require_same(first, second, third)
    partition.require_acked(partition.send(1))
