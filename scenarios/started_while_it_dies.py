"""A controller dies while a broker starts that it has not told anything yet."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.kill import Kill
from highwater.faults.kill_metadata import KillMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3: broker startup; KIP-500; KIP-595",
    claims=("lost-write", "replica-divergence"),
    settings={"broker.session.timeout.ms": "15000"},
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def started_while_it_dies(play: Play, partition: Partition) -> None:
    """A broker is starting, and who would tell it what it has is dead: the next controller does.

    It is a follower that was dead. Its start is held where the controller's orders, or the log of
    metadata, would reach it, and then the controller dies. The next one has it follow, and it is
    in the ISR again, with what was acknowledged while it was away.
    """
    *others, away = partition.replicas
    kafka, nodes = play.cluster.kafka, play.cluster.nodes
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    dead = play.inject(Kill(away))
    partition.await_isr(*others)
    partition.require_acked(partition.send(10))
    home = play.await_quorum_leader() if kafka.kraft else nodes.controller
    unheard = play.inject(HoldDecisions(away))
    play.abandon(dead)
    partition.await_state("it is to be told", lambda: any(unheard.proof.values()))
    partition.require("nobody counts on it", partition.state().isr == tuple(sorted(others)))
    gone = play.inject(KillMetadata() if kafka.kraft else Kill(home))
    play.heal(unheard)
    partition.await_state("it is in sync", lambda: away in partition.state().isr, timeout_s=60.0)
    play.heal(gone)
    partition.await_isr(*partition.replicas)
    partition.require_acked(partition.send(10))
