"""How a broker that was dead hears of what has been decided meanwhile."""

from highwater.faults.kill import Kill
from highwater.harness.creation import create_topic
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3: broker startup; KIP-500",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def missed_while_away(play: Play, partition: Partition) -> None:
    """A follower dies; another replica leads, a topic is created; and it knows both when it starts.

    With ZooKeeper the controller sends it all that it has replicas of when it registers, with KRaft
    it reads the metadata log on from where it was before it serves. It makes the directory that it
    owes the new topic, follows the new leader, and comes back into the ISR.

    Who shall lead is said while all live: up to 0.10.0 a controller refuses to put replicas into
    another order while one of them is dead (KAFKA-4214).
    """
    leader, heir, away = partition.replicas
    where = TopicPartition(f"{partition.where.topic}-beside")
    directory = play.cluster.files.log_dir(away) / str(where)
    partition.prefer(heir, leader, away)
    partition.require_acked(partition.send(10))
    dead = play.inject(Kill(away))
    partition.await_isr(leader, heir)
    partition.move_leader(heir)
    partition.await_leader(heir)
    create_topic(play.cluster, where.topic, [(heir, away)], {})
    partition.require_acked(partition.send(10))
    partition.require("it has no part of the new topic", not directory.exists())
    play.heal(dead)
    partition.await_state("it has made its replica of the new topic", directory.exists)
    probe = play.cluster.probe(away)
    partition.await_state(
        "it names the leader of today",
        lambda: [each.leader for each in probe.partitions(partition.where.topic)] == [heir],
    )
    partition.await_isr(*partition.replicas)
    play.cluster.metadata.delete_topic(where.topic)
    partition.await_state("and removes it again", lambda: not directory.exists())
