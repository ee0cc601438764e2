"""What one of two parties is to hear is held, and no more: markers, ISR changes, an end."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.gate.conftest import PATIENCE_S, FakeBroker, Peer

from highwater.faults.half_close_client import HalfCloseClient
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_disk_change import HoldDiskChange
from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.late_marker_answers import LateMarkerAnswers
from highwater.faults.watch_isr_change import WatchIsrChange
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import (
    ALTER_PARTITION,
    ASSIGN_REPLICAS_TO_DIRS,
    BROKER_HEARTBEAT,
    PRODUCE,
    WRITE_TXN_MARKERS,
    encode_request,
)
from highwater.harness.gate.rules import Trigger

Connect = Callable[[], Peer]
BROKER = 1  # behind the gate


def markers(coordinator: int) -> bytes:
    sender = f"broker-{coordinator}-txn-marker-sender"
    return encode_request(WRITE_TXN_MARKERS, 0, 1, sender, b"a marker")


def produce(client_id: str) -> bytes:
    return encode_request(PRODUCE, 3, 1, client_id, b"a record")


def cluster_with(gate: GateProcess) -> Any:
    return cast("Any", SimpleNamespace(gate=gate))


def test_markers_of_one_coordinator_do_not_arrive_and_those_of_another_do(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HoldMarkers(coordinator=2, leader=BROKER).inject(cluster_with(gate)) as held:
        peer.send(markers(2))
        held.await_standing()
        answer = connect().ask(markers(3))

    assert answer
    assert broker.next_frame() == markers(3)
    assert broker.received.empty()
    with pytest.raises(EOFError):
        peer.receive()


def test_a_coordinator_hears_late_that_its_markers_are_written_and_another_one_at_once(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with LateMarkerAnswers(coordinator=2, leader=BROKER).inject(cluster_with(gate)) as held:
        peer.send(markers(2))
        held.await_standing()
        answer = connect().ask(markers(3))

    assert answer
    assert broker.next_frame() == markers(2)
    assert peer.receive()


def isr_change(leader: int) -> bytes:
    sender = f"broker-{leader}-to-controller-alter-partition-channel-manager"
    return encode_request(ALTER_PARTITION, 2, 1, sender, b"an ISR")


def test_a_leader_asks_for_an_isr_in_vain_until_it_is_healed_and_its_answer_is_seen(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with WatchIsrChange(leader=2).inject(cluster_with(gate)) as answered:
        with HoldIsrChange(leader=2).inject(cluster_with(gate)) as held:
            peer.send(isr_change(2))
            held.await_standing()
            connect().ask(isr_change(3))
            first = broker.next_frame()
            before = answered.proof["matched"]
        answered.await_seen()

    assert (first, before) == (isr_change(3), 0)
    assert broker.next_frame() == isr_change(2)
    assert peer.receive()


def heartbeat(broker: int) -> bytes:
    sender = f"broker-{broker}-to-controller-heartbeat-channel-manager"
    return encode_request(BROKER_HEARTBEAT, 1, 1, sender, b"it lives")


def test_a_controller_does_not_hear_that_a_broker_is_there_until_it_is_healed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HoldHeartbeats(broker=2).inject(cluster_with(gate)) as held:
        peer.send(heartbeat(2))
        held.await_standing()
        connect().ask(heartbeat(3))

        assert broker.next_frame() == heartbeat(3)

    assert broker.next_frame() == heartbeat(2)
    assert peer.receive()


def disk_change(broker: int) -> bytes:
    sender = f"broker-{broker}-to-controller-directory-assignments-channel-manager"
    return encode_request(ASSIGN_REPLICAS_TO_DIRS, 0, 1, sender, b"a disk")


def test_a_controller_knows_on_which_disk_a_replica_is_and_its_broker_does_not_hear(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HoldDiskChange(broker=2).inject(cluster_with(gate)) as held:
        peer.send(disk_change(2))
        held.await_standing()
        answer = connect().ask(disk_change(3))

    assert answer
    assert broker.next_frame() == disk_change(2)
    assert peer.receive()


def test_a_record_arrives_whose_producer_does_not_hear_of_it(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HoldAcknowledgements("deaf").inject(cluster_with(gate)) as held:
        peer.send(produce("deaf"))
        held.await_standing()
        answer = connect().ask(produce("another"))

    assert answer
    assert broker.next_frame() == produce("deaf")
    with pytest.raises(EOFError):
        peer.receive()


def test_an_answer_that_is_late_comes_when_all_is_well_and_those_behind_the_first_at_once(
    connect: Connect, gate: GateProcess
) -> None:
    peer, late = connect(), HoldAcknowledgements("slow", Trigger("once"), late=True)

    with late.inject(cluster_with(gate)) as held:
        peer.send(produce("slow"))
        held.await_standing()
        second = connect().ask(produce("slow"))

    assert second
    assert peer.receive()


def test_a_client_does_not_hear_that_its_broker_has_closed_until_it_is_healed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HalfCloseClient("deaf", Trigger("once")).inject(cluster_with(gate)) as half:
        peer.send(produce("deaf"))
        half.await_standing()
        closed = broker.closed.get(timeout=PATIENCE_S)
        hears_nothing = peer.has_silence()
        answer = connect().ask(produce("deaf"))

    assert "EOF" in closed
    assert hears_nothing
    assert answer
    peer.require_closed()
