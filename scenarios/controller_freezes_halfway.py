"""A controller freezes between what it has decided and what it would have brought about."""

from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.decided_halfway import SETTINGS, decided_halfway
from highwater.scenarios.acts.meanwhile import LEFT_PARKED


@scenario(
    source="Kafka Detailed Replication Design V3; the controller epoch; KIP-595: leader epoch",
    claims=("lost-write", "replica-divergence"),
    settings=SETTINGS,
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LEFT_PARKED,
)
def controller_freezes_halfway(play: Play, partition: Partition) -> None:
    """An election, a creation and a reassignment are decided, and then the controller is frozen.

    The next one sees them through, as where the first had died. Then the first goes on, with orders
    of an epoch that is over, and undoes nothing: another has its office, and brokers take no orders
    from it.
    """
    is_kraft, metadata = play.cluster.kafka.kraft, play.cluster.metadata
    frozen = decided_halfway(
        play, partition, lambda home: play.inject(PauseMetadata() if is_kraft else Pause(home))
    )
    before = partition.state()
    play.heal(frozen)
    partition.await_isr(*partition.replicas)
    partition.require_acked(partition.send(10))
    now = metadata.partition(partition.where)
    partition.require("who leads does so still", now.leader == before.leader, leader=now.leader)
