"""A controller freezes between what it has decided and what it would have brought about."""

from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.decided_halfway import SETTINGS, decided_halfway
from highwater.scenarios.acts.meanwhile import LEADER_MOVES


@scenario(
    source="Kafka Detailed Replication Design V3; the controller epoch; KIP-595: leader epoch",
    claims=("lost-write", "replica-divergence"),
    turns_at=("2.7", "3.0"),  # KAFKA-12686 holds a move up
    settings=SETTINGS,
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LEADER_MOVES,
)
def controller_freezes_halfway(play: Play, partition: Partition) -> None:
    """An election, a creation and a reassignment are decided, and then the controller is frozen.

    The next one sees them through, as where the first had died. Then the first goes on, with orders
    of an epoch that is over, and undoes nothing: another has its office, and brokers take no orders
    from it.
    """
    is_kraft = play.cluster.kafka.kraft
    halfway = decided_halfway(
        play, partition, lambda home: play.inject(PauseMetadata() if is_kraft else Pause(home))
    )
    play.heal(halfway.gone)
    if is_kraft:
        play.await_quorum_leader(other_than=halfway.home)
    else:
        probe = play.cluster.probe(halfway.heir)
        others = {-1, halfway.home}
        partition.await_state(
            "another is in office", lambda: probe.metadata().controller_id not in others
        )
    partition.await_isr(*partition.replicas)
    partition.require_acked(partition.send(10))
    halfway.require_seen_through(play, partition)
