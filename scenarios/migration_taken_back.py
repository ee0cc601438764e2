"""A cluster that is in use leaves ZooKeeper for KRaft, and comes back before that is final."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling


@rolling(
    source="KIP-866; Kafka's documentation, 3.9: Reverting to ZooKeeper mode during the Migration",
    plays_on="==3.9",
    modes=("zookeeper",),
    upgrades_to="3.9.1",
)
def migration_taken_back(play: Play, partition: Partition) -> None:
    """All brokers have left ZooKeeper, while records are sent, and come back: nothing is lost.

    The controller of KRaft, which has the metadata by then, writes them to ZooKeeper as well.
    Brokers come back to that one by one; a partition is created in between. Then the controller
    ends, ZooKeeper forgets it, a broker is elected in its place, and all are told of it no more.
    Last the partition's leader is killed, and another one leads.
    """
    with play.load(play.topics[0], rate_per_s=100) as load:
        load.await_acked(100)
        play.migrate_to_kraft(until="brokers")
        meanwhile = play.topic("meanwhile")[0]
        partition.require_acked(meanwhile.send(5))
        play.return_to_zookeeper()
        load.await_acked(100)
        partition.require_acked(meanwhile.send(5))
        play.inject(Kill(killed := partition.leader))
        partition.await_state("another one leads", lambda: partition.leader not in {killed, -1})
        load.await_acked(100)
    partition.require("no record has failed", load.failed == 0, failed=load.failed)
    play.heal()
    partition.await_isr(*partition.replicas)
