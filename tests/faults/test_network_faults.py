"""What is wrong with a network shows on real brokers, and is over when it has been healed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from highwater.backends import PROCESS
from highwater.faults.aimed import Aimed
from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.faults.delay_link import DelayLink
from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.half_close import HalfClose
from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.isolate import Isolate
from highwater.faults.limit_link import LimitLink
from highwater.faults.partition_bridge import PartitionBridge
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.partition_one_way import PartitionOneWay
from highwater.faults.partition_ring import PartitionRing
from highwater.faults.reset_link import ResetLink
from highwater.faults.stall_answers import StallAnswers
from highwater.faults.stop import Stop
from highwater.faults.targets import Follower, Leader
from highwater.faults.watch_isr_change import WatchIsrChange
from highwater.harness.cluster import Fault
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings

ONE_ACK = ProducerSettings(acks="1")


@pytest.mark.parametrize(
    "fault",
    [
        DelayLink(2, 1, delay_ms=50),
        LimitLink(2, 1, bytes_per_s=4000),
        ResetLink(2, 1),
        StallAnswers(1, 2),
    ],
)
def test_a_bad_link_meets_frames_and_the_follower_catches_up_when_it_is_healed(
    play: Play, partition: Partition, fault: Fault[AtTheGate]
) -> None:
    bad = play.inject(fault)
    partition.send(20, ONE_ACK, to=1)
    partition.await_state("the rule has met frames", lambda: bad.proof["matched"] > 0)
    play.heal(bad)

    partition.await_offsets("all have everything", dict.fromkeys(partition.replicas, 20))


CUTTING_OFF_BROKER_3 = [
    BlockLink(3, 1),
    PartitionBrokers((1, 4), (3,)),
    PartitionOneWay((3,), (1, 2)),
    PartitionRing((1, 2, 3, 4)),
    PartitionBridge((1,), 2, (3,)),
    Isolate(3),
]


@pytest.mark.parametrize("fault", CUTTING_OFF_BROKER_3)
def test_who_is_cut_off_from_the_leader_gets_no_record_until_it_is_healed(
    play: Play, partition: Partition, fault: Fault[Any]
) -> None:
    cut = play.inject(fault)
    partition.await_state("what broker 3 says to broker 1 is held", lambda: _held(cut.proof) > 0)
    partition.send(1, ONE_ACK, to=1)
    partition.await_offsets("the other follower has it", {1: 1, 2: 1})

    partition.require_offsets("this one has not, for nothing reaches it", {3: 0})
    play.heal(cut)
    partition.await_offsets("it has it now", {3: 1})


def _held(proof: Mapping[str, Any]) -> int:
    """How many frames of the link from broker 3 to broker 1 a fault has held so far."""
    return int(proof["held"] if "held" in proof else proof["3 to 1"])


@pytest.mark.parametrize(
    "fault",
    [PartitionOneWay((1, 2), (3,)), PartitionBrokers((1, 2), (4,)), PartitionRing((2, 1, 3, 4))],
)
def test_a_link_that_is_not_cut_goes_on(
    play: Play, partition: Partition, fault: Fault[Any]
) -> None:
    cut = play.inject(fault)
    partition.require_acked(partition.send(2))

    partition.await_offsets("everybody has it", dict.fromkeys(partition.replicas, 2))
    play.heal(cut)


def test_a_ring_of_three_cuts_nothing_and_is_refused(play: Play) -> None:
    with pytest.raises(PreconditionError, match="four brokers"):
        play.inject(PartitionRing((1, 2, 3)))


def test_half_a_connection_leaves_a_follower_waiting(play: Play, partition: Partition) -> None:
    half = play.inject(HalfClose(3, 1))
    half.await_standing()
    partition.send(1, ONE_ACK, to=1)

    partition.await_offsets("one follower waits for an answer", {1: 1, 2: 1, 3: 0})
    play.heal(half)
    partition.await_offsets("it has asked anew", {3: 1})


@pytest.mark.on_demand(together="tests/faults/test_network_faults.py[isolated]")
def test_an_isolated_leader_is_replaced_and_becomes_a_follower_when_it_is_back(
    play: Play, partition: Partition
) -> None:
    partition.require_acked(partition.send(1))

    alone = play.inject(Aimed(Leader(partition.where), Isolate))
    assert alone.proof["fault"] == "Isolate(broker=1)"
    second = play.cluster.probe(2)
    partition.await_state(
        "broker 2 knows that it leads",
        lambda: second.metadata(partition.where.topic).partitions[0].leader == 2,
        timeout_s=40,
    )
    partition.send(1, ONE_ACK, to=2)
    play.heal(alone)

    partition.await_isr(*partition.replicas)
    partition.await_offsets("it has what it missed", dict.fromkeys(partition.replicas, 2))


def test_a_session_that_expires_is_proven_by_what_the_others_know(
    play: Play, partition: Partition
) -> None:
    expired = play.inject(Aimed(Follower(partition.where, nth=1), ExpireSession))

    assert expired.proof["unknown to"] == [1, 2, 4]
    assert play.cluster.nodes.running(3)
    play.heal(expired)
    partition.await_isr(*partition.replicas)


def test_a_broker_without_a_cable_answers_nobody(
    play: Play, partition: Partition, backend: str
) -> None:
    if backend == PROCESS:
        with pytest.raises(PreconditionError, match="--backend docker"):
            play.inject(Disconnect(3))
        return
    partition.send(1)
    unplugged = play.inject(Disconnect(3))

    assert unplugged.proof == {"running": True, "routes": []}
    with pytest.raises(OSError, match=r"timed out|refused|reset|closed|ended"):
        play.cluster.probe(3).metadata()
    play.heal(unplugged)
    partition.await_isr(*partition.replicas)


def test_what_is_decided_does_not_reach_one_broker_until_it_is_healed(
    play: Play, partition: Partition
) -> None:
    heir = partition.replicas[1]

    unaware = play.inject(HoldDecisions(heir))
    partition.move_leader(heir)
    partition.await_state("the metadata say who leads", lambda: partition.leader == heir)
    partition.await_state("it is held back", lambda: sum(unaware.proof.values()) > 0)

    assert not play.cluster.probe(heir).leads(partition.where)
    play.heal(unaware)
    partition.await_leader(heir, isr=partition.replicas)
    assert partition.send(1).all_acked


def test_who_has_caught_up_is_out_of_sync_until_its_leader_is_heard(
    play: Play, partition: Partition
) -> None:
    if not play.cluster.kafka.leaders_ask_for_the_isr:
        with pytest.raises(UsageError, match=r"HoldIsrChange needs .*, and writes none itself"):
            play.inject(HoldIsrChange(1))
        return
    away = play.inject(Stop(3))
    partition.await_isr(1, 2)
    late = play.inject(HoldIsrChange(1))
    play.heal(away)
    late.await_standing()

    assert partition.state().isr == (1, 2)
    decided = play.inject(WatchIsrChange(1))
    play.heal(late)
    decided.await_seen()
    partition.await_isr(*partition.replicas)


def test_a_broker_whose_heartbeats_are_not_heard_is_fenced_until_it_is_healed(
    play: Play, partition: Partition
) -> None:
    if not play.cluster.kafka.hears_heartbeats:  # its session with ZooKeeper goes on
        with pytest.raises(UsageError, match=r"HoldHeartbeats needs .* with KRaft"):
            play.inject(HoldHeartbeats(3))
        return
    unheard = play.inject(HoldHeartbeats(3))
    unheard.await_standing()
    partition.await_isr(1, 2)

    assert 3 not in play.cluster.metadata.registered()
    play.heal(unheard)
    partition.await_isr(*partition.replicas)
