"""Who writes down that a replica is out of sync: its leader, or the controller."""

from highwater.faults.hold_requests import HoldRequests
from highwater.faults.pause import Pause
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.broker_says import says
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION

LAG = {"replica.lag.time.max.ms": "3000"}


@scenario(
    source="Kafka Detailed Replication Design V3; KIP-497",
    claims=("lost-write", "replica-divergence"),
    turns_at=("2.7",),
    # Longer than the controller is frozen: nobody takes its office, and no live broker is fenced.
    settings={**LONG_SESSION, **LAG, "broker.session.timeout.ms": "30000"},
    topic_settings={"min.insync.replicas": "1"},
)
def who_changes_the_isr(play: Play, partition: Partition) -> None:
    """A follower stops fetching while the controller is frozen: is it put out of the ISR?

    Until 2.6 it is: the leader writes the smaller ISR into ZooKeeper, if that has the version that
    the leader knows, and the controller hears of it later. From 2.7 on the leader has to ask the
    controller (KIP-497): it does, and the ISR stays what it was until the controller goes on.
    """
    leader, quick, late = partition.replicas
    kafka, everybody = play.cluster.kafka, tuple(sorted(partition.replicas))
    play.bring_controller_home()
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    controller = PauseMetadata() if kafka.kraft else Pause(play.cluster.nodes.controller)
    frozen = play.inject(controller)
    held = play.inject(HoldRequests(leader, late, partition.where))
    play.await_standing([held])
    partition.require_acked(partition.send(1, ACKS_ONE, to=leader))
    partition.await_state(
        "its leader would put it out of the ISR",
        lambda: says(play, leader, partition.where.topic, "Shrinking ISR"),
    )
    if kafka.leaders_ask_for_the_isr:
        partition.require("it is in the ISR", partition.state().isr == everybody)
        partition.require_offsets("nothing more is committed", {quick: 2, late: 1}, {leader: 1})
    else:
        partition.await_isr(leader, quick)
        partition.await_offsets("it is not waited for", {quick: 2, late: 1}, {leader: 2})
    play.heal(frozen)
    partition.await_isr(leader, quick)
    play.heal(held)
    partition.await_isr(*partition.replicas)
