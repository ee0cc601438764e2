"""What the gate does to bytes that no rule is about: nothing, at any pace."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.unit.gate.conftest import (
    PATIENCE_S,
    FakeBroker,
    Peer,
    echo,
    fetch,
    framed,
    read_exactly,
)

from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import encode_request
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.gate.upstream import Upstream

Connect = Callable[[], Peer]
_ENDLESS_BYTES = 64 << 20


def test_any_bytes_in_frames_pass_unchanged_both_ways(connect: Connect) -> None:
    random_bytes = random.Random(1).randbytes
    sizes = (0, 1, 3, 4, 9, 10, 17, 100, 4096, 70_000, 3_000_000)
    frames = [framed(random_bytes(size)) for size in sizes]
    frames += [encode_request(1, 99, 7, "broker-2-fetcher-0", random_bytes(50))]
    frames += [encode_request(4711, 3, 7, None, random_bytes(50))]
    peer = connect()

    answers = [peer.ask(frame) for frame in frames]

    assert answers == [echo(frame) for frame in frames]


def test_any_bytes_pass_unchanged_when_a_rule_collects_every_frame(
    connect: Connect, gate: GateProcess
) -> None:
    gate.add(Rule(Match(topic="t"), Action("hold")))
    gate.add(Rule(Match(), Action("watch")))
    frames = [framed(random.Random(size).randbytes(size)) for size in (0, 5, 17, 70_000, 300_000)]
    frames += [encode_request(1, 11, 7, "broker-2-fetcher-0", b"no fetch")]
    peer = connect()

    answers = [peer.ask(frame) for frame in frames]

    assert answers == [echo(frame) for frame in frames]


def test_frames_sent_in_one_piece_and_byte_by_byte_arrive_alike(
    connect: Connect, broker: FakeBroker
) -> None:
    frames = [fetch(correlation_id=n) for n in range(3)]
    together, piecemeal = connect(), connect()

    together.send(b"".join(frames))
    at_once = [together.receive() for _ in frames]
    for byte in b"".join(frames):
        piecemeal.send(bytes((byte,)))
    in_pieces = [piecemeal.receive() for _ in frames]

    assert at_once == in_pieces == [echo(frame) for frame in frames]
    assert [broker.next_frame() for _ in range(6)] == frames * 2


@pytest.mark.parametrize("length", [-1, (1 << 30) + 1])
def test_bytes_that_are_no_frames_pass_unseen(gate: GateProcess, length: int) -> None:
    gate.add(Rule(Match(), Action("watch")))
    raw = length.to_bytes(4, "big", signed=True) + b"what follows is not Kafka"
    begun_answer = framed(bytes(8))[:-1]

    with open_pair(gate) as (client, upstream):
        upstream.sendall(begun_answer)
        client.sendall(fetch() + raw)
        forth = read_exactly(upstream, len(fetch() + raw))
        upstream.sendall(raw)
        back = read_exactly(client, len(begun_answer + raw))

    assert (forth, back) == (fetch() + raw, begun_answer + raw)


@contextmanager
def open_pair(gate: GateProcess) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of one connection through the gate, with nobody behind them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = gate.listen(Upstream(1, "127.0.0.1", listener.getsockname()[1]))
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
            upstream, _ = listener.accept()
            upstream.settimeout(PATIENCE_S)
            with upstream:
                yield client, upstream


def test_a_reader_that_stops_stops_its_writer_and_the_gate_stays_small(
    gate: GateProcess,
) -> None:
    content = bytes(1 << 20)
    sent = 0

    with open_pair(gate) as (writer, _), suppress(TimeoutError):
        writer.settimeout(0.3)
        while sent < _ENDLESS_BYTES:
            writer.sendall(framed(content))
            sent += len(content)

    assert sent < _ENDLESS_BYTES
    assert resident_bytes(gate.pid) < 128 << 20


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_a_client_of_a_broker_that_is_down_is_closed_at_once(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    broker.close()

    connect().require_closed()

    event = gate.wait_event(lambda event: event["event"] == "closed", "the end", PATIENCE_S)
    assert "refused" in event["reason"]
