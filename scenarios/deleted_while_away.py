"""What becomes of a topic that is deleted, and created again, while one of its brokers is dead."""

from highwater.faults.kill import Kill
from highwater.harness.creation import create_topic
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3; KIP-516; KAFKA-14616",
    modes=("zookeeper", "kraft>=3.7"),  # before, what was left over stayed (KAFKA-14616)
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def deleted_while_away(play: Play, partition: Partition) -> None:
    """The brokers that live remove its directories at once, the dead one when it is back.

    With ZooKeeper the deletion waits for the dead broker: until then the name is taken. With KRaft
    it is done at once, and another topic of that name is created. The broker that returns finds a
    directory of another topic id, removes it, and begins the new replica empty.
    """
    *there, away = partition.replicas
    partition.require_acked(partition.send(1))
    metadata, where = play.cluster.metadata, TopicPartition(f"{partition.where.topic}-beside")

    def kept(broker: int) -> bool:
        return (play.cluster.files.log_dir(broker) / str(where)).exists()

    create_topic(play.cluster, where.topic, [partition.replicas], {})
    partition.await_state("all have it", lambda: all(map(kept, partition.replicas)))
    marked = play.cluster.files.log_dir(away) / str(where) / "of-the-first"
    marked.touch()
    dead = play.inject(Kill(away))
    partition.await_isr(*there)
    metadata.delete_topic(where.topic)
    partition.await_state("who lives removes it", lambda: not any(map(kept, there)))
    partition.require("the dead broker has it still", marked.exists())
    if play.cluster.kafka.kraft:
        partition.await_state("the name is free", lambda: not metadata.has_topic(where.topic))
        create_topic(play.cluster, where.topic, [partition.replicas], {})
    else:
        partition.require("the name is taken", metadata.has_topic(where.topic))
    play.heal(dead)
    partition.await_state("what was left over is gone", lambda: not marked.exists())
    if play.cluster.kafka.kraft:
        partition.await_state(
            "the new topic's replica is empty, and in sync",
            lambda: (
                metadata.partition(where).isr == tuple(sorted(partition.replicas))
                and play.cluster.probe(away).log_end_offset(where) == 0
            ),
        )
        metadata.delete_topic(where.topic)
    partition.await_state("the name is free", lambda: not metadata.has_topic(where.topic))
