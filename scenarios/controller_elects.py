"""Who notices that a leader has died, and who says which replica leads next."""

from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION

BRIEF = ProducerSettings(delivery_timeout_s=5)


@scenario(
    source="Kafka Detailed Replication Design V3: controller; KIP-631",
    claims=("lost-write", "replica-divergence", "leader-out-of-sync"),
    # Longer than the controller is frozen: nobody takes its office, and no live broker is fenced.
    settings={**LONG_SESSION, "broker.session.timeout.ms": "15000"},
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "committed-truncation": "until 0.11 a broker that starts cuts its log at its checkpoint"
    },
)
def controller_elects(play: Play, partition: Partition) -> None:
    """A leader dies while the controller is frozen, and nobody takes its place until it thaws.

    Both followers live, in sync, with every record, and neither makes itself the leader. With
    ZooKeeper the controller is one of the brokers, and all name the same one; with KRaft it is a
    node of the quorum. Once it goes on it notices who is gone, and elects.
    """
    leader, *others = partition.replicas
    kafka, nodes = play.cluster.kafka, play.cluster.nodes
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    if not kafka.kraft:
        partition.await_state(
            "all brokers name one controller",
            lambda: (
                {play.cluster.probe(each).metadata().controller_id for each in others}
                == {nodes.controller}
            ),
        )
    frozen = play.inject(PauseMetadata() if kafka.kraft else Pause(nodes.controller))
    dead = play.inject(Kill(leader))
    unsent = partition.send(1, BRIEF, to=others[0])
    partition.require("nobody takes a record", unsent.acked == 0, errors=unsent.unknown)
    partition.require("nobody else leads", partition.state().leader == leader)
    leads = [play.cluster.probe(each).leads(partition.where) for each in others]
    partition.require("nor believes that it does", not any(leads))
    play.heal(frozen)
    partition.await_state("one of them leads", lambda: partition.leader in others)
    partition.require_acked(partition.send(1))
    play.heal(dead)
    partition.await_isr(*partition.replicas)
