"""A cluster that is in use leaves ZooKeeper, and then gets a Kafka that knows it no more."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling


@rolling(
    source="KIP-866; Kafka's documentation, 3.9: ZooKeeper to KRaft Migration",
    plays_on="==3.9",
    modes=("zookeeper",),
    upgrades_to="4.1.1",
)
def upgrade_zookeeper_to_4_1(play: Play, partition: Partition) -> None:
    """From ZooKeeper to KRaft, and on to 4.1, while records are sent: nothing is lost.

    A controller of KRaft copies the metadata, once every broker has been restarted and told of it.
    From then on it leads brokers that still have ZooKeeper; there the partition's leader is killed.
    Then brokers leave ZooKeeper one after the other, the controller does, and ZooKeeper ends. Last
    all nodes become 4.1, and metadata.version is raised.
    """
    first, second, _third = partition.replicas
    with play.load(play.topics[0], rate_per_s=100) as load:
        load.await_acked(100)
        play.migrate_to_kraft(until="copied")
        partition.move_leader(first)
        partition.await_leader(first, isr=partition.replicas)
        play.inject(Kill(first))
        partition.await_leader(second)
        load.await_acked(100)
        play.heal()
        play.migrate_to_kraft()
        load.await_acked(100)
        play.rolling_upgrade("4.1.1")
        load.await_acked(100)
    partition.require("sent on at every step", load.acked > 400, acked=load.acked)
