"""A controller dies between what it has decided and what it would have brought about."""

from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.decided_halfway import SETTINGS, decided_halfway
from highwater.scenarios.acts.meanwhile import LEADER_MOVES


@scenario(
    source="Kafka Detailed Replication Design V3; KafkaController.onControllerFailover; KIP-631",
    claims=("lost-write", "replica-divergence"),
    turns_at=("2.7", "3.0"),  # KAFKA-12686 holds a move up
    settings=SETTINGS,
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LEADER_MOVES,
)
def controller_dies_halfway(play: Play, partition: Partition) -> None:
    """An election, a creation and a reassignment are decided, and then the controller is dead.

    One broker, that has not been told, shall lead the partition and a new topic, have another's
    replica of a topic that is sent to. All is written down; the next controller sees it through.
    """
    is_kraft = play.cluster.kafka.kraft
    halfway = decided_halfway(
        play, partition, lambda home: play.inject(KillMetadata() if is_kraft else Kill(home))
    )
    play.heal(halfway.gone)
    partition.require_acked(partition.send(1))
    halfway.require_seen_through(play, partition)
