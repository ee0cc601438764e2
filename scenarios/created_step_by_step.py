"""What comes first when a topic is created: the decision, or the replicas."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.harness.creation import create_topic
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3; KafkaController.onNewPartitionCreation; KIP-500",
    claims=("lost-write", "replica-divergence"),
    settings={"broker.session.timeout.ms": "60000"},
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def created_step_by_step(play: Play, partition: Partition) -> None:
    """A topic has a leader and an ISR of three while its leader has never heard of it.

    Whoever creates it has the replicas, a leader and a full ISR written down first, in ZooKeeper or
    in the metadata log, and then the brokers are told. One of them is not: the others have made
    their directories and name it as the leader, and it knows of no such topic. When it is told it
    makes its own, and leads.
    """
    deaf, *others = partition.replicas
    where = TopicPartition(f"{partition.where.topic}-beside")
    play.bring_controller_home()
    partition.require_acked(partition.send(1))

    def has_made(broker: int) -> bool:
        return (play.cluster.files.log_dir(broker) / str(where)).exists()

    def named_by(broker: int) -> list[int]:
        known = play.cluster.probe(broker).metadata(where.topic)
        return [each.leader for each in known.partitions]

    held = play.inject(HoldDecisions(deaf))
    create_topic(play.cluster, where.topic, [partition.replicas], {})
    state = play.cluster.metadata.partition(where)
    partition.require(
        "it is written down, with a leader and a full ISR",
        state.leader == deaf and state.isr == tuple(sorted(partition.replicas)),
    )
    partition.await_state("the others have been told", lambda: all(map(has_made, others)))
    partition.await_state(
        "and name its leader", lambda: all(named_by(each) == [deaf] for each in others)
    )
    partition.require("the leader knows nothing", not has_made(deaf) and not named_by(deaf))
    play.heal(held)
    partition.await_state(
        "it is told", lambda: has_made(deaf) and play.cluster.probe(deaf).leads(where)
    )
    play.cluster.metadata.delete_topic(where.topic)
    partition.await_state("its directory is gone again", lambda: not has_made(deaf))
