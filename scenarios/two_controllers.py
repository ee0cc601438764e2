"""A controller that was frozen comes back, and another has its office."""

from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.faults.targets import Controller
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka Detailed Replication Design V3: controller epoch; KIP-595: quorum leader epoch",
    claims=("lost-write", "replica-divergence"),
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def two_controllers(play: Play, partition: Partition) -> None:
    """The controller freezes, and another one moves a leader; the first thaws, and nobody obeys it.

    It was the controller when it was stopped, and is one in its own memory when it goes on. All
    brokers, itself among them, name the new one, and the leader stays who the new one has made it,
    in the same leader epoch.
    """
    leader, heir, third = partition.replicas
    cluster = play.cluster
    play.bring_controller_home()
    partition.prefer(heir, leader, third)
    partition.require_acked(partition.send(10))
    old = Controller().broker(cluster)
    frozen = play.inject(PauseMetadata() if cluster.kafka.kraft else Pause(old))
    partition.await_state(
        "another one has the office", lambda: Controller().broker(cluster) != old, timeout_s=60.0
    )
    new = Controller().broker(cluster)
    partition.move_leader(heir)
    decided = partition.await_leader(heir, isr=partition.replicas)
    play.heal(frozen)

    def named() -> set[int]:
        if cluster.kafka.kraft:
            return {cluster.nodes.quorum_leader()}
        return {cluster.probe(each).metadata().controller_id for each in (*partition.replicas, old)}

    partition.await_state("all name the new one", lambda: named() == {new})
    partition.require_acked(partition.send(10))
    partition.require("what it has decided stands", partition.state() == decided)
    partition.move_leader(leader)
    partition.await_leader(leader, isr=partition.replicas)
    partition.require("it is the controller still", named() == {new})
