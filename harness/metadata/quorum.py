"""Who leads the voters: KRaft controllers, or ZooKeeper servers.

Each voter is asked for itself, past the gate: two may take themselves for the leader while one of
them is cut off, and who leads in the newest epoch is the one that the others follow.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from functools import partial

from highwater.harness.errors import PreconditionError
from highwater.harness.gate.headers import DESCRIBE_QUORUM
from highwater.harness.gate.primitives import Writer
from highwater.harness.probes.wire import Wire
from highwater.harness.side_by_side import SideBySide
from highwater.harness.wait import wait_until

TOPIC = "__cluster_metadata"
PATIENCE_S = 1.0

Question = Callable[[], int | None]


class NoLeaderError(PreconditionError, LookupError):
    """No voter leads now: while they elect one, or because too few of them are left."""


class Quorum:
    """Asks each voter for the epoch in which it leads; None is the answer of one that does not."""

    def __init__(self, voters: Mapping[int, Question]) -> None:
        self._voters = voters
        self._asked = SideBySide("quorum")

    def leader(self) -> int:
        """Raises NoLeaderError when no voter that answers leads."""
        answers = self._asked.ask(self._voters, PATIENCE_S)
        epochs = {voter: _epoch(answer.result) for voter, answer in answers.items()}
        leading = {voter: epoch for voter, epoch in epochs.items() if epoch is not None}
        if not leading:
            silent = sorted(self._voters.keys() - answers.keys())
            raise NoLeaderError(
                f"none of the voters {sorted(self._voters)} says that it leads; "
                f"not answered within {PATIENCE_S:.0f} s: {silent or 'none'}"
            )
        return max(leading, key=leading.__getitem__)

    def await_answer(self, voter: int, timeout_s: float) -> None:
        """Wait until a voter answers, and one of all leads; raises DeadlineError."""
        wait_until(
            lambda: (self._voters[voter](), self.leader()),
            f"voter {voter} to answer, and some voter to lead",
            timeout_s,
        )

    def close(self) -> None:
        """Ask nobody any more."""
        self._asked.close()


def _epoch(answer: Question) -> int | None:
    """A voter that is down, or cannot be understood, leads nobody."""
    try:
        return answer()
    except (OSError, LookupError):
        return None


def epoch_by_kraft(wire: Wire) -> int | None:
    """The epoch in which a controller leads, by DescribeQuorum (KIP-595); None: it does not.

    Raises OSError when it does not answer.
    """
    body = Writer(flexible=True)
    body.array((TOPIC,), partial(_write_topic, body))
    body.tags()
    answer = wire.ask(DESCRIBE_QUORUM, 0, bytes(body.buffer))
    if answer.int16():
        return None
    answer.unsigned_varint()  # one topic, of one partition
    answer.string()
    answer.unsigned_varint()
    answer.int32()
    error, _leader, epoch = answer.int16(), answer.int32(), answer.int32()
    return None if error else epoch


def epoch_by_zookeeper(host: str, port: int) -> int | None:
    """The epoch in which a server leads an ensemble, by `srvr`; None: it does not.

    Raises OSError when it does not answer.
    """
    with socket.create_connection((host, port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"srvr")
        told = connection.makefile().read()
    said = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    return int(said["Zxid"], 16) >> 32 if said.get("Mode") == "leader" else None


def _write_topic(body: Writer, topic: str) -> None:
    body.nullable_string(topic)
    body.array((0,), partial(_write_partition, body))
    body.tags()


def _write_partition(body: Writer, partition: int) -> None:
    body.int32(partition)
    body.tags()
