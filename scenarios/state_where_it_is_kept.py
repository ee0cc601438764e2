"""Where leader, leader epoch and ISR of a partition are written down, and who tells them."""

from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.kept_and_told import KeptAndTold


@scenario(
    source="Kafka Detailed Replication Design V3; KIP-500; KIP-631: PartitionChangeRecord; KIP-966",
    claims=("lost-write", "replica-divergence"),
    turns_at=("2.1",),
    topic_settings={"min.insync.replicas": "2"},
)
def state_where_it_is_kept(play: Play, partition: Partition) -> None:
    """Who leads, in which epoch, and who is in sync is kept in one place, and brokers tell that.

    With ZooKeeper it is a node of the partition, and brokers hear of it from the controller. With
    KRaft it is the log of metadata, of which every broker has a copy: a record of the partition,
    and one of each change since. It is read there as it is created, when another broker leads, when
    a follower has stopped, and when it is back; and all brokers that live are asked. They tell the
    leader epoch from 2.1 on.
    """
    first, second, third = partition.replicas
    state = KeptAndTold(play, partition)
    state.require_same(first, second, third)
    one_everywhere(partition)
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    state.require_same(first, second, third)
    stopped = play.inject(Stop(third))
    partition.await_isr(first, second)
    partition.require_acked(partition.send(1))
    state.require_same(first, second)
    play.heal(stopped)
    partition.await_isr(first, second, third)
    state.require_same(first, second, third)
    partition.require_acked(partition.send(1))
