"""Whatever is asked of the gate's control is answered, by it alone, and ends nothing else."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from highwater.gate_control import GateControl
from highwater.gate_server import GateServer
from highwater.harness.errors import InfrastructureError
from highwater.harness.wait import wait_until

TOXICS = "/proxies/one/toxics"
PATIENCE_S = 20


@pytest.fixture
def control() -> Iterator[GateControl]:
    """In front of nobody."""
    with GateControl() as opened:
        opened.open("one", "127.0.0.1:1")
        yield opened


@pytest.fixture
def server(control: GateControl) -> Iterator[GateServer]:
    with GateServer(control, "127.0.0.1", 0) as opened:
        yield opened


def request(method: str, path: str, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def connected(server: GateServer) -> socket.socket:
    host, _, port = server.address.rpartition(":")
    return socket.create_connection((host, int(port)), PATIENCE_S)


def answers(server: GateServer, sent: bytes) -> bytes:
    """All that is said until the connection is closed."""
    with connected(server) as peer:
        peer.sendall(sent)
        peer.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: peer.recv(1 << 16), b""))


def toxic(**told: Any) -> bytes:
    return request("POST", TOXICS, json.dumps({"type": "hold", **told}).encode())


@pytest.mark.parametrize(
    "sent",
    [
        toxic(stream=["upstream"]),
        toxic(type="answer", attributes={"api": "Produce", "error": "NO_LEADER"}),
        toxic(type="delay", attributes={"delay_ms": 10**400}),
        toxic(type="delay", attributes={"delay_ms": float("inf")}),
        toxic(type="limit", attributes={"bytes_per_s": 1e-320}),
        toxic(attributes={"topic": "é" * 100_000, "client_id": "é" * 100_000}),
        request("POST", TOXICS, b"[" * 200_000),
        request("GET", "http://["),
        request("PUT", TOXICS, b"{}"),
        b"POST " + TOXICS.encode() + b" HTTP/1.1\r\nContent-Length: " + b"1" * 5000 + b"\r\n\r\n",
    ],
    ids=range(
        10
    ),  # these are too long for the environment in which pytest tells the name of a test
)
def test_what_is_none_is_refused_in_words_and_no_traceback_is_printed(
    control: GateControl, server: GateServer, sent: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    said = answers(server, sent)

    assert said.startswith(b"HTTP/1.1 40")
    assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]
    assert not control.proxy("one").toxics
    control.gate.reset_links()  # the gate lives
    assert "Traceback" not in capfd.readouterr().err


def test_whoever_sends_far_too_much_hears_why_it_is_refused(server: GateServer) -> None:
    for _ in range(3):
        said = answers(server, request("POST", TOXICS, b"x" * 30_000_000))

        assert b"expected a body of at most 1048576 bytes" in said


@pytest.mark.parametrize("more", [["Origin: http://elsewhere"], ["Transfer-Encoding: chunked"]])
def test_the_body_of_a_refused_request_is_no_request(
    control: GateControl, server: GateServer, more: list[str]
) -> None:
    said = answers(server, request("POST", "/reset", toxic(), *more))

    assert said.startswith(b"HTTP/1.1 40")
    assert said.count(b"HTTP/1.1") == 1
    assert not control.proxy("one").toxics


def test_who_goes_away_while_he_waits_is_forgotten(
    control: GateControl, server: GateServer, capfd: pytest.CaptureFixture[str]
) -> None:
    control.add("one", {"name": "held", "type": "hold"})
    before = threading.active_count()
    with connected(server) as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.sendall(request("GET", f"{TOXICS}/held/standing?timeout_s=0.5"))
        wait_until(lambda: threading.active_count() > before, "it to be asked", PATIENCE_S)

    wait_until(lambda: threading.active_count() == before, "it to be over", PATIENCE_S)

    assert "Traceback" not in capfd.readouterr().err


def test_many_at_once_are_answered(control: GateControl, server: GateServer) -> None:
    seen: list[tuple[str, int]] = []

    def ask(number: int) -> None:
        host = HTTPConnection(server.address, timeout=PATIENCE_S)
        for turn in range(40):
            body = json.dumps({"type": "hold", "name": f"{number}-{turn}"})
            for method, path in (("POST", TOXICS), ("GET", "/proxies"), ("POST", "/reset")):
                host.request(method, path, body if path == TOXICS else None)
                with host.getresponse() as answer:
                    answer.read()
                    seen.append((path, answer.status))
        host.close()

    asking = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()

    assert set(seen) == {(TOXICS, 200), ("/proxies", 200), ("/reset", 204)}
    assert len(seen) == 4 * 40 * 3
    assert not control.proxy("one").toxics


def test_a_gate_that_has_died_is_told_of() -> None:
    with GateControl() as control:
        os.kill(control.gate.pid, signal.SIGKILL)
        with pytest.raises(InfrastructureError, match="the gate died"):
            wait_until(lambda: control.warnings() != [], "the gate's end to be told", PATIENCE_S)
