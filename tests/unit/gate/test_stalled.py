"""StallAsked: reading stops in the middle of a frame, and goes on."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.gate.conftest import PATIENCE_S, FakeBroker, Peer, framed

from highwater.faults.stall_asked import StallAsked
from highwater.harness.errors import UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import PRODUCE, encode_request
from highwater.harness.gate.rules import Action, Match, Rule, Trigger

Connect = Callable[[], Peer]
LARGE = encode_request(PRODUCE, 2, 1, "load", bytes(16 << 20))
ONCE = Trigger("once")


@pytest.fixture
def cluster(gate: GateProcess) -> Any:
    return cast("Any", SimpleNamespace(gate=gate))


def test_of_a_stalled_frame_no_more_can_be_written_until_it_is_over(
    connect: Connect, cluster: Any, broker: FakeBroker
) -> None:
    mine, others = connect(), connect()
    small = encode_request(PRODUCE, 2, 2, "somebody else", b"a record")

    with StallAsked("Produce", "load", ONCE).inject(cluster) as stalled:
        written = write_what_goes(mine.sock, LARGE)
        stalled.await_standing()
        others.send(small)
        assert broker.next_frame() == small
        assert len(small) < written < len(LARGE)
        assert broker.received.empty()

    mine.sock.settimeout(PATIENCE_S)
    mine.sock.sendall(LARGE[written:])
    assert broker.next_frame() == LARGE


def test_little_of_a_stalled_frame_is_taken_in_however_much_has_passed_before(
    connect: Connect, cluster: Any, broker: FakeBroker
) -> None:
    mine = connect()
    mine.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 10)
    before = encode_request(PRODUCE, 2, 1, "load", bytes(1 << 20))
    for _ in range(64):  # the kernel gives more room to who reads as quickly
        mine.ask(before)
        assert broker.next_frame() == before

    with StallAsked("Produce", "load", ONCE).inject(cluster) as stalled:
        written = write_what_goes(mine.sock, LARGE)
        stalled.await_standing()
        mine.sock.close()

    assert written < 1 << 20


def test_little_of_a_stalled_answer_is_taken_in_and_it_stands_when_no_more_is(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    """A broker sends the rest from its files, as they are when it can."""
    mine = connect()
    asked = encode_request(PRODUCE, 2, 1, "load", bytes(1 << 20))
    for _ in range(64):  # the kernel gives more room to who reads as quickly
        mine.ask(asked)
        assert broker.next_frame() == asked
    broker.answer = lambda _frame: b""
    rule = gate.add(Rule(Match("response", client_id="load"), Action("stall"), ONCE))
    mine.send(encode_request(PRODUCE, 2, 2, "load", b"a record"))
    broker.next_frame()
    (theirs,) = broker.sockets
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 10)
    answer = framed(struct.pack(">i", 2) + bytes(64 << 20))
    theirs.setblocking(False)

    written = theirs.send(answer)
    rule.standing(PATIENCE_S)

    written += write_what_goes(theirs, answer[written:])
    assert written < 1 << 20
    theirs.settimeout(PATIENCE_S)
    sending = threading.Thread(target=theirs.sendall, args=(answer[written:],))
    sending.start()
    rule.pass_on()
    assert mine.receive() == answer
    sending.join()


def test_who_closes_in_the_middle_of_a_frame_has_sent_nothing(
    connect: Connect, cluster: Any, broker: FakeBroker
) -> None:
    mine, after = connect(), connect()
    small = encode_request(PRODUCE, 2, 2, "load", b"a record")

    with StallAsked("Produce", "load", ONCE).inject(cluster) as stalled:
        write_what_goes(mine.sock, LARGE)
        stalled.await_standing()
        mine.sock.close()

    after.send(small)
    assert broker.next_frame() == small


def test_a_stalled_frame_that_is_whole_goes_on_as_it_is(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    rule = gate.add(Rule(Match("request", client_id="load"), Action("stall"), ONCE))
    mine = connect()
    frames = [encode_request(PRODUCE, 2, each, "load", b"a record") for each in (1, 2)]
    mine.send(b"".join(frames))
    rule.standing(PATIENCE_S)
    assert broker.received.empty()

    assert rule.pass_on() == 1

    assert [broker.next_frame(), broker.next_frame()] == frames
    counted = rule.counters()
    assert (counted["matched"], counted["held"], counted["passed"]) == (1, 1, 1)


def test_what_one_rule_lets_go_on_is_stalled_by_the_next(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    one, other = (gate.add(Rule(Match("request", client_id="load"), Action("stall"))) for _ in "ab")
    mine = connect()
    frame = encode_request(PRODUCE, 2, 1, "load", b"a record")
    mine.send(frame)
    one.standing(PATIENCE_S)

    one.pass_on()
    other.standing(PATIENCE_S)
    assert broker.received.empty()
    other.pass_on()

    assert broker.next_frame() == frame
    assert other.counters()["held"] == 1


def test_who_closes_has_sent_what_was_whole(
    connect: Connect, cluster: Any, broker: FakeBroker
) -> None:
    mine = connect()
    small = encode_request(PRODUCE, 2, 1, "load", b"a record")

    with StallAsked("Produce", "load", ONCE).inject(cluster) as stalled:
        mine.send(small)
        stalled.await_standing()
        mine.sock.close()

    assert broker.next_frame() == small


def test_what_is_not_read_cannot_be_meant_by_its_partitions() -> None:
    with pytest.raises(ValueError, match="its partitions are not known"):
        Rule(Match("request", topic="orders"), Action("stall"))


@pytest.mark.parametrize("words", [("Bogus", "x"), ("Produce", ""), ("Produce", "x", "once")])
def test_what_nobody_asks_is_refused(words: Any) -> None:
    with pytest.raises(UsageError):
        StallAsked(*words)


def write_what_goes(sock: socket.socket, data: bytes) -> int:
    """How many bytes were taken before none was for a while."""
    sock.settimeout(1.0)
    written = 0
    try:
        while written < len(data):
            written += sock.send(data[written : written + (1 << 20)])
    except TimeoutError:
        return written
    return written
