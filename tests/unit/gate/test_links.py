"""Whole links at a real gate: half closed, foreign to Kafka, and told by who asks."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator

import pytest
from tests.unit.gate.conftest import PATIENCE_S, FakeBroker, Peer, echo, fetch, framed

from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.frames import Frame
from highwater.harness.gate.headers import METADATA, encode_request
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.gate.upstream import Upstream

Connect = Callable[[], Peer]


@pytest.mark.parametrize(
    ("client_id", "sender"),
    [
        ("7", 7),
        ("broker-7-fetcher-0", 7),
        ("broker-7-txn-marker-sender", 7),
        ("raft-client-101", 101),
        ("producer-7", None),
        ("7up", None),
        (None, None),
    ],
)
def test_who_asks_is_told_by_the_client_id(client_id: str | None, sender: int | None) -> None:
    assert Frame("request", 1, None, client_id, 4).sender == sender


def test_a_replica_that_fetches_is_the_sender_whatever_it_calls_itself() -> None:
    assert Frame("request", 1, 3, "ReplicaFetcherThread-0-1", 1).sender == 3


def test_half_a_connection_is_closed_and_the_other_half_waits_until_it_is_healed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    half = gate.add(Rule(Match(stage="request"), Action("hold", half_close=True)))
    peer = connect()

    peer.send(fetch())
    half.standing()

    assert "EOF" in broker.closed.get(timeout=PATIENCE_S)
    assert broker.received.empty()
    assert peer.has_silence()
    half.pass_on()
    peer.require_closed()
    assert connect().ask(fetch()) == echo(fetch())


@pytest.fixture
def keeper(gate: GateProcess, broker: FakeBroker) -> Iterator[Peer]:
    """A connection of node 3 to something like ZooKeeper, which is node 0."""
    broker.answer = lambda frame: frame
    port = gate.listen(Upstream(0, "127.0.0.1", broker.port, asker=3, foreign=True))
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as opened:
        yield Peer(opened)


def test_foreign_frames_pass_whatever_is_in_them(keeper: Peer) -> None:
    for content in (b"", b"\x00", struct.pack(">hh", 1, 99) + b"\xff" * 40, bytes(100_000)):
        assert keeper.ask(framed(content)) == framed(content)


def test_foreign_frames_are_held_by_who_asks_whom(
    keeper: Peer, gate: GateProcess, broker: FakeBroker
) -> None:
    other = gate.add(Rule(Match(sender=2, leader=0)))
    cut = gate.add(Rule(Match(sender=3, leader=0)))

    keeper.send(framed(b"ping"))
    event = cut.standing()

    assert (event["follower"], event["leader"]) == (3, 0)
    assert broker.received.empty()
    assert other.counters()["matched"] == 0
    cut.drop()
    keeper.require_closed()


def test_an_order_of_a_controller_is_held_by_its_sender(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    order = encode_request(METADATA, 1, 5, "100", bytes(4))
    cut = gate.add(Rule(Match(sender=100, leader=1)))
    controller, follower = connect(), connect()

    controller.send(order)
    cut.standing()

    assert follower.ask(fetch()) == echo(fetch())
    assert broker.next_frame() == fetch()
