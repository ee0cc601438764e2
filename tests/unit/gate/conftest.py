"""A real gate process, a broker of few words behind it, and clients that speak raw frames."""

from __future__ import annotations

import queue
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

import pytest

from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.headers import encode_request
from highwater.harness.gate.rows import Row
from highwater.harness.gate.upstream import Upstream
from highwater.harness.versions.jars import message_jars

PATIENCE_S = 10.0
RECORDS = struct.pack(">qi", 5, 49) + struct.pack(">iBIhi", 1, 2, 0, 0, 0) + bytes(34)


def read_exactly(sock: socket.socket, count: int) -> bytes:
    """Raises EOFError when the other side closes, however it does so."""
    collected = bytearray()
    while len(collected) < count:
        try:
            piece = sock.recv(min(count - len(collected), 1 << 20))
        except ConnectionResetError as error:
            raise EOFError(str(error)) from None
        if not piece:
            raise EOFError(f"closed after {len(collected)} of {count} bytes")
        collected += piece
    return bytes(collected)


def read_frame(sock: socket.socket) -> bytes:
    head = read_exactly(sock, 4)
    return head + read_exactly(sock, struct.unpack(">i", head)[0])


def framed(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def fetch(
    follower: int = 2, *, offset: int = 5, version: int = 11, correlation_id: int = 1
) -> bytes:
    """A follower's Fetch of partition t-0."""
    request = FetchRequest(follower, (FetchedPartition("t", None, 0, offset),))
    body = encode_fetch_request(request, version)
    client_id = f"broker-{follower}-fetcher-0"
    return encode_request(1, version, correlation_id, client_id, body)


def fetch_answer(correlation_id: int, records: bytes = b"", high_watermark: int = 7) -> bytes:
    """A Fetch 11 answer about partition t-0."""
    head = struct.pack(">iihii", correlation_id, 0, 0, 0, 1) + struct.pack(">h", 1) + b"t"
    marks = struct.pack(">iihqqq", 1, 0, 0, high_watermark, high_watermark, 0)
    tail = struct.pack(">iii", 0, -1, len(records)) + records
    return framed(head + marks + tail)


@dataclass
class FakeBroker:
    """Answers each frame with `answer(frame)`; keeps the frames and the sockets."""

    answer: Callable[[bytes], bytes]
    listener: socket.socket
    received: queue.Queue[bytes] = field(default_factory=queue.Queue)
    closed: queue.Queue[str] = field(default_factory=queue.Queue)
    sockets: list[socket.socket] = field(default_factory=list)

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    def run(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self.listener.accept()
                self.sockets.append(sock)
                threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock: socket.socket) -> None:
        try:
            while True:
                frame = read_frame(sock)
                self.received.put(frame)
                sock.sendall(self.answer(frame))
        except (EOFError, OSError) as error:
            self.closed.put(repr(error))

    def next_frame(self) -> bytes:
        return self.received.get(timeout=PATIENCE_S)

    def close(self) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self.listener.close()
        for sock in self.sockets:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()


def echo(frame: bytes) -> bytes:
    """An answer with the request's correlation id, and the rest of its bytes as its body."""
    return framed(frame[8:])


def answer_with_records(frame: bytes) -> bytes:
    return fetch_answer(struct.unpack_from(">i", frame, 8)[0], RECORDS)


@pytest.fixture
def broker() -> Iterator[FakeBroker]:
    listener = socket.create_server(("127.0.0.1", 0))
    fake = FakeBroker(echo, listener)
    threading.Thread(target=fake.run, daemon=True).start()
    yield fake
    fake.close()


@pytest.fixture
def gate() -> Iterator[GateProcess]:
    with GateProcess() as process:
        yield process


@dataclass
class Peer:
    """A client's socket through the gate to broker 1."""

    sock: socket.socket

    def send(self, frame: bytes) -> None:
        self.sock.sendall(frame)

    def receive(self) -> bytes:
        return read_frame(self.sock)

    def ask(self, frame: bytes) -> bytes:
        self.send(frame)
        return self.receive()

    def require_closed(self) -> None:
        with pytest.raises(EOFError):
            read_exactly(self.sock, 1)

    def has_silence(self) -> bool:
        """Whether nothing has come; ask only after the gate has said that a frame stands."""
        self.sock.setblocking(False)
        try:
            return not self.sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        finally:
            self.sock.settimeout(PATIENCE_S)


@pytest.fixture
def connect(gate: GateProcess, broker: FakeBroker) -> Iterator[Callable[[], Peer]]:
    port = gate.listen(Upstream(1, "127.0.0.1", broker.port))
    opened: list[socket.socket] = []

    def open_peer() -> Peer:
        opened.append(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
        return Peer(opened[-1])

    yield open_peer
    for sock in opened:
        sock.close()


@pytest.fixture
def told(gate: GateProcess) -> Iterator[list[tuple[str, Row]]]:
    """What is told while everything is seen; all of it is there once the gate was asked."""
    found: list[tuple[str, Row]] = []
    with gate.rows.heard_by(lambda table, row: found.append((table, row))):
        gate.rows.see(message_jars())
        yield found


@pytest.fixture
def client(gate: GateProcess, broker: FakeBroker) -> Iterator[Callable[[bytes], Peer]]:
    """Someone whose requests are answered with these bytes, through a port for clients."""
    with ExitStack() as stack:

        def make(answered: bytes) -> Peer:
            broker.answer = lambda _frame: answered
            port = gate.listen(Upstream(3, "127.0.0.1", broker.port, clients=True))
            sock = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
            return Peer(stack.enter_context(sock))

        yield make
