"""A controller dies between what it has decided and what it would have brought about."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.harness.background import Background
from highwater.harness.creation import create_topic
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.meanwhile import LEFT_PARKED, sent_to_meanwhile


@scenario(
    source="Kafka Detailed Replication Design V3; KafkaController.onControllerFailover; KIP-631",
    claims=("lost-write", "replica-divergence"),
    settings={"broker.session.timeout.ms": "60000"},
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LEFT_PARKED,
)
def controller_dies_halfway(play: Play, partition: Partition) -> None:
    """An election, a creation and a reassignment are decided, and then the controller is dead.

    One broker, that has not been told, shall lead the partition and a new topic, have another's
    replica of a topic that is sent to. All is written down; the next controller sees it through.
    """
    other, deaf = partition.replicas[1:]
    kafka, metadata, probe = play.cluster.kafka, play.cluster.metadata, play.cluster.probe
    beside, moving = TopicPartition(f"{partition.where.topic}-beside"), play.topic("m", replicas=2)
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    home = play.await_quorum_leader() if kafka.kraft else play.cluster.nodes.controller
    with sent_to_meanwhile(play, moving, partition):
        unheard = play.inject(HoldDecisions(deaf) if kafka.kraft else HoldOrders(deaf, home))
        partition.move_leader(deaf)
        create_topic(play.cluster, beside.topic, [(deaf, other)], {})
        thread = Background("reassignment")
        moved = thread.submit(moving[0].move_replicas, other, deaf)
        partition.await_state("one is written down", lambda: partition.leader == deaf)
        partition.await_state("and another", lambda: metadata.partition(beside).leader == deaf)
        moved_to = moving[0].state
        partition.await_state("all three are written down", lambda: deaf in moved_to().replicas)
        done = probe(deaf).leads(partition.where), probe(deaf).leads(beside), moved.done()
        partition.require("and nothing of it has been done", not any(done))
        dead = play.inject(KillMetadata() if kafka.kraft else Kill(home))
        play.heal(unheard)
        partition.await_leader(deaf, isr=partition.replicas)
        partition.await_state("the new topic is led", lambda: probe(deaf).leads(beside))
        partition.await_state("the replica has moved", moved.done, timeout_s=90.0)
        moved.result()
        thread.close()
    play.heal(dead)
    partition.require_acked(partition.send(1))
    metadata.delete_topic(beside.topic)
