"""A broker starts while the controller is frozen."""

from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION

UNHEARD_S = 5.0
PLAIN = ProducerSettings(idempotence=False)  # producer ids are the controller's from 3.0 on


@scenario(
    source="Kafka Detailed Replication Design V3: broker startup; KIP-500; KIP-595",
    claims=("lost-write", "replica-divergence"),
    # Longer than the controller is frozen: with ZooKeeper nobody takes its office.
    settings={**LONG_SESSION, "broker.session.timeout.ms": "15000"},
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def started_unheard(play: Play, partition: Partition) -> None:
    """A broker starts while the controller is frozen; with a quorum there is another controller.

    It is a follower that was dead. With ZooKeeper it registers, and that is all: it knows of
    no partition, whoever asks it, and follows nobody. What is sent meanwhile goes to the two that
    are in sync. When the controller goes on it tells the broker what it has. With a quorum of three
    controllers another one leads as soon as the first is silent: the broker is back in the ISR
    while that one is frozen still.
    """
    *others, away = partition.replicas
    kafka, nodes, metadata = play.cluster.kafka, play.cluster.nodes, play.cluster.metadata
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    dead = play.inject(Kill(away))
    partition.await_isr(*others)
    partition.require_acked(partition.send(1))  # who leads has heard of that
    old = play.await_quorum_leader() if kafka.kraft else nodes.controller
    frozen = play.inject(PauseMetadata() if kafka.kraft else Pause(old))
    if kafka.kraft:
        play.await_quorum_leader(other_than=old)
    play.abandon(dead)
    if not kafka.kraft:
        partition.await_state("it is registered", lambda: away in metadata.registered())
        until_ns = play.record.now_ns() + int(UNHEARD_S * 1e9)
        partition.require_acked(partition.send(10, PLAIN, to=others[0]))
        partition.await_state("some seconds", lambda: play.record.now_ns() > until_ns)
        knows = play.scene.probe(away).partitions(partition.where.topic)  # raises if it is silent
        partition.require("it answers, and knows of no partition", not knows, knows=len(knows))
        partition.require("nobody counts on it", partition.state().isr == tuple(sorted(others)))
        play.heal(frozen)
    partition.await_isr(*partition.replicas)
    play.heal()
    partition.require_acked(partition.send(10))
