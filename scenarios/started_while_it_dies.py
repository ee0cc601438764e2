"""A controller dies while a broker starts that it has not told anything yet."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.left_out import comes_in_or_is_left


@scenario(
    source="KAFKA-4443; ReplicaManager.makeFollowers; KIP-500",
    reproduces="<0.10.2",
    claims=("left-behind", "lost-write", "replica-divergence"),
    settings={"broker.session.timeout.ms": "15000"},
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "committed-truncation": "until 0.11 a broker that starts cuts its log at its checkpoint"
    },
)
def started_while_it_dies(play: Play, partition: Partition) -> None:
    """A broker is starting, and who would tell it what it has is dead: the next controller does.

    It is a follower that was dead. Its start is held where the controller's orders, or the log of
    metadata, would reach it, and then the controller dies.

    An old controller that takes office orders whom to follow, and only then says which brokers
    live. A broker that knows of none cannot follow, says so in its log, and tries no more: it
    lives, and is left out of the ISR until the partition has another leader epoch.
    """
    *others, away = partition.replicas
    kafka, nodes = play.cluster.kafka, play.cluster.nodes
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    dead = play.inject(Kill(away))
    partition.await_isr(*others, timeout_s=60.0)
    partition.require_acked(partition.send(10))
    home = play.await_quorum_leader() if kafka.kraft else nodes.controller
    unheard = play.inject(HoldDecisions(away))
    play.abandon(dead)
    partition.await_state("it is to be told", lambda: any(unheard.proof.values()))
    partition.require("nobody counts on it", partition.state().isr == tuple(sorted(others)))
    gone = play.inject(KillMetadata() if kafka.kraft else Kill(home))
    play.heal(unheard)
    if kafka.kraft:
        play.await_quorum_leader(other_than=home)
    else:
        probe, gone_by = play.cluster.probe(others[0]), {-1, home}
        partition.await_state(
            "there is a next", lambda: probe.metadata().controller_id not in gone_by
        )
    play.heal(gone)
    if not comes_in_or_is_left(play, partition, away):
        partition.move_leader(others[1])
        partition.await_leader(others[1])
    partition.await_isr(*partition.replicas)
    partition.require_acked(partition.send(10))
