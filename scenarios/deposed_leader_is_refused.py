"""What a leader of yesterday is told when it wants to change the ISR."""

from highwater.faults.hold_decisions import HoldDecisions
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.isr_expansion import IMPATIENT_LEADER


@scenario(
    source="Kafka Detailed Replication Design V3; Partition.maybeShrinkIsr; KIP-497",
    claims=("lost-write", "replica-divergence", "leader-out-of-sync"),
    settings={"broker.session.timeout.ms": "60000"},
    broker_settings=IMPATIENT_LEADER,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def deposed_leader_is_refused(play: Play, partition: Partition) -> None:
    """It has not heard that it was replaced, shrinks the ISR to itself, and nothing comes of it.

    The followers fetch from the new leader, so the old one finds them late after three seconds. Up
    to 2.6 it writes the new ISR into ZooKeeper, on condition that the version is the one that it
    knows; from 2.7 on it asks the controller, with its leader epoch. Either way that was yesterday:
    the ISR stays as it was, and the old leader goes on without having committed anything.
    """
    leader, heir, third = partition.replicas
    play.bring_controller_home()
    partition.prefer(heir, third, leader)  # while all hear of it
    log = play.cluster.files.server_log(leader)
    partition.require_acked(partition.send(10))
    end = partition.log_end_offset(leader)
    deaf = play.inject(HoldDecisions(leader))
    partition.move_leader(heir)
    partition.await_leader(heir, isr=partition.replicas)
    partition.require("the old one believes that it leads", _leads(play, partition, leader))

    # A follower that has all that the leader has is never late.
    partition.require_acked(partition.send(1, ACKS_ONE, to=leader))

    def tries() -> bool:
        lines = log.read_text(errors="replace").splitlines()
        return any("Shrinking ISR" in line and partition.where.topic in line for line in lines)

    partition.await_state("it shrinks the ISR", tries)
    partition.require_acked(partition.send(10, ACKS_ONE, to=heir))
    isr = partition.state().isr
    partition.require("the ISR is what it was", isr == tuple(sorted(partition.replicas)), isr=isr)
    committed = partition.high_watermark(leader)
    partition.require("the old one has committed nothing", committed <= end, committed=committed)
    play.heal(deaf)
    partition.await_leader(heir, isr=partition.replicas)
    partition.require("now it knows", not _leads(play, partition, leader))


def _leads(play: Play, partition: Partition, broker: int) -> bool:
    return play.cluster.probe(broker).leads(partition.where)
