"""A move of replicas is given up in time, whoever is silent; brokers listen on sockets."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.gate.primitives import Writer
from highwater.harness.metadata.changes import UnknownOutcomeError
from highwater.harness.metadata.controlled import ControlledMetadata
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import Wire

WHERE = TopicPartition("orders")
BROKERS = (1, 2, 3)
BEFORE, AFTER = (1, 2, 3), (2, 1, 3)
TIMEOUT_S, LATE_S = 2.0, 1.5
GRACE_S = 1.2  # for a last look, and a machine that has other things to do

Answers = Callable[[socket.socket], None]


class Probe:
    """Of a broker whose metadata have the replicas as they were."""

    def partitions(self, topic: str) -> tuple[KnownPartition, ...]:
        return (KnownPartition(topic, 0, 0, 1, 3, BEFORE, BEFORE),)

    def metadata(self) -> Any:
        return SimpleNamespace(controller_id=1)


def never(_connection: socket.socket) -> None:
    """As a broker does that waits for a majority of voters."""


def late(connection: socket.socket) -> None:
    """Yes, and nothing comes of it."""
    answer = Writer(flexible=True)
    answer.tags()  # of the header
    answer.int32(0)
    answer.int16(0)
    answer.nullable_string(None)
    answer.array((), answer.int32)
    answer.tags()
    body = struct.pack(">i", 1) + bytes(answer.buffer)
    threading.Event().wait(LATE_S)
    connection.sendall(struct.pack(">i", len(body)) + body)


@pytest.fixture
def listening() -> Iterator[Callable[[Answers], dict[int, Wire]]]:
    """Makes brokers that take each request, and answer it so."""
    with ExitStack() as ending:

        def listen(answer: Answers) -> dict[int, Wire]:
            return {broker: wire(answer) for broker in BROKERS}

        def wire(answer: Answers) -> Wire:
            server = ending.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=_serve, args=(server, answer), daemon=True).start()
            made = Wire("127.0.0.1", server.getsockname()[1])
            ending.callback(made.close)
            return made

        yield listen


def _serve(server: socket.socket, answer: Answers) -> None:
    connections = []
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # the test is over
            return
        connections.append(connection)
        threading.Thread(target=_take, args=(connection, answer), daemon=True).start()


def _take(connection: socket.socket, answer: Answers) -> None:
    try:
        while connection.recv(1 << 16):
            answer(connection)
    except OSError:
        return


@pytest.mark.parametrize("kind", [KRaftMetadata, ControlledMetadata])
@pytest.mark.parametrize(("answer", "error"), [(never, UnknownOutcomeError), (late, DeadlineError)])
def test_a_move_lasts_no_longer_than_is_said(
    listening: Callable[[Answers], dict[int, Wire]],
    kind: type[KRaftMetadata],
    answer: Answers,
    error: type[InfrastructureError],
) -> None:
    metadata = kind(listening(answer), cast("Any", dict.fromkeys(BROKERS, Probe())))

    began_s = time.monotonic()
    with pytest.raises(error):
        metadata.reassign(WHERE, AFTER, TIMEOUT_S)
    took_s = time.monotonic() - began_s
    metadata.close()

    assert took_s < TIMEOUT_S + GRACE_S
