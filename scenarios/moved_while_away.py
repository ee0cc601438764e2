"""What a broker does with a replica that was given to somebody else while it was away."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3; KAFKA-14616; LogManager.startup",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "1"},
)
def moved_while_away(play: Play, partition: Partition) -> None:
    """A broker is dead while its replica is taken from it, and finds it on its disk when it starts.

    With KRaft it learns from the metadata log, before it serves, that the replica is no longer its
    own, and removes it. With ZooKeeper nobody tells it: the order to delete went to a broker that
    was not there, and the directory stays.
    """
    *there, away = partition.replicas
    partition.require_acked(partition.send(10))
    directory = play.cluster.files.log_dir(away) / str(partition.where)
    dead = play.inject(Kill(away))
    partition.await_isr(*there)
    partition.move_replicas(*there)
    partition.require("its directory is there", directory.exists())
    play.heal(dead)
    partition.require_acked(partition.send(1))
    if play.cluster.kafka.kraft:
        partition.await_state("its directory is gone", lambda: not directory.exists())
        return
    probe = play.cluster.probe(away)
    partition.await_state(
        "it knows who has the replicas",
        lambda: (
            [{*each.replicas} for each in probe.partitions(partition.where.topic)] == [{*there}]
        ),
    )
    partition.require("its directory is there all the same", directory.exists())
