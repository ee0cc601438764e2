"""HoldProduce: what a producer has sent stays under way, and arrives when the fault is healed."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from tests.unit.gate.conftest import PATIENCE_S, FakeBroker, Peer

from highwater.faults.hold_produce import HoldProduce
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import PRODUCE, encode_request
from highwater.harness.wait import wait_until

Connect = Callable[[], Peer]


def produce(client_id: str) -> bytes:
    return encode_request(PRODUCE, 3, 1, client_id, b"a record")


def cluster_with(gate: GateProcess) -> Any:
    return cast("Any", SimpleNamespace(gate=gate))


def test_a_late_record_is_answered_before_the_fault_is_healed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with HoldProduce("impatient").inject(cluster_with(gate)) as late:
        peer.send(produce("impatient"))
        late.await_standing()
        peer.sock.close()
        gate.wait_event(lambda event: event.get("reason") == "client, kept", "it left", PATIENCE_S)
        before = broker.received.empty()

    assert before
    assert broker.next_frame() == produce("impatient")
    assert [event["event"] for event in gate.events() if event.get("reason") == "answered"]


def test_a_producer_that_waits_gets_its_answer(connect: Connect, gate: GateProcess) -> None:
    peer = connect()

    with HoldProduce("patient").inject(cluster_with(gate)) as late:
        peer.send(produce("patient"))
        late.await_standing()

    assert peer.receive()


def test_requests_that_wait_behind_the_one_that_stands_are_counted(
    connect: Connect, gate: GateProcess
) -> None:
    peer = connect()

    with HoldProduce("patient").inject(cluster_with(gate)) as late:
        before = late.proof["behind"]
        peer.send(produce("patient"))
        late.await_standing()
        alone = late.proof["behind"]
        peer.send(2 * produce("patient") + produce("patient")[:-1])
        wait_until(lambda: late.proof["behind"] == 2, "two whole ones", PATIENCE_S)
        peer.send(produce("patient")[-1:])
        wait_until(lambda: late.proof["behind"] == 3, "the third", PATIENCE_S)

    assert (before, alone) == (0, 0)
    assert peer.receive()


def test_requests_to_another_broker_pass(connect: Connect, gate: GateProcess) -> None:
    with HoldProduce("impatient", broker=1_000).inject(cluster_with(gate)):
        answer = connect().ask(produce("impatient"))

    assert answer


def test_records_of_other_producers_pass(connect: Connect, gate: GateProcess) -> None:
    with HoldProduce("impatient").inject(cluster_with(gate)):
        answer = connect().ask(produce("another"))

    assert answer
