"""Who leads the voters: asked of each, and of two that believe it, the newer one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from highwater.harness.errors import PreconditionError
from highwater.harness.gate.headers import LENGTH
from highwater.harness.gate.primitives import Writer
from highwater.harness.metadata import quorum
from highwater.harness.metadata.quorum import (
    NoLeaderError,
    Quorum,
    epoch_by_kraft,
    epoch_by_zookeeper,
)
from highwater.harness.probes.wire import Wire

HOST = "127.0.0.1"
NOT_LEADER_OR_FOLLOWER = 6


def silent() -> None:
    threading.Event().wait(5)


def refusing() -> int:
    raise ConnectionRefusedError


def test_the_leader_of_the_newest_epoch_is_the_one_that_others_follow() -> None:
    asked = Quorum({100: lambda: 4, 101: lambda: 5, 102: lambda: None})

    assert asked.leader() == 101
    asked.close()


def test_a_voter_that_is_down_or_frozen_leads_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quorum, "PATIENCE_S", 0.1)
    asked = Quorum({0: refusing, 201: silent, 202: lambda: 1})

    assert asked.leader() == 202
    asked.close()


def test_a_quorum_without_a_leader_says_who_was_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quorum, "PATIENCE_S", 0.1)
    asked = Quorum({100: refusing, 101: silent, 102: lambda: None})

    with pytest.raises(NoLeaderError, match=r"\[100, 101, 102\] says that it leads.*\[101\]") as no:
        asked.leader()
    asked.close()

    assert isinstance(no.value, PreconditionError)
    assert isinstance(no.value, LookupError)  # which wait_until takes for "not yet"


@contextmanager
def answering(answer: Callable[[socket.socket], bytes]) -> Iterator[int]:
    """A port on which one question is answered."""
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(answer(connection))

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("said", "epoch"),
    [
        ("Zxid: 0x30000002a\nMode: leader\nNode count: 4\n", 3),
        ("Zxid: 0x30000002a\nMode: follower\n", None),
        ("This ZooKeeper instance is not currently serving requests\n", None),
    ],
)
def test_zookeepers_tell_their_mode_and_epoch(said: str, epoch: int | None) -> None:
    with answering(lambda connection: connection.recv(4) and said.encode()) as port:
        assert epoch_by_zookeeper(HOST, port) == epoch


def described(error: int, epoch: int) -> bytes:
    """A DescribeQuorum answer, version 0, up to what is read of it."""
    body = Writer(flexible=True)
    body.int32(1)  # correlation id
    body.tags()
    body.int16(0)
    body.unsigned_varint(2)
    body.nullable_string("__cluster_metadata")
    body.unsigned_varint(2)
    body.int32(0)
    body.int16(error)
    body.int32(101)
    body.int32(epoch)
    return LENGTH.pack(len(body.buffer)) + bytes(body.buffer)


@pytest.mark.parametrize(("error", "epoch"), [(0, 7), (NOT_LEADER_OR_FOLLOWER, None)])
def test_only_the_controller_that_leads_describes_the_quorum(error: int, epoch: int | None) -> None:
    with answering(lambda asked: asked.recv(200) and described(error, 7)) as port:
        wire = Wire(HOST, port)

        assert epoch_by_kraft(wire) == epoch
        wire.close()
