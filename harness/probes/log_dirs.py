"""Asks a broker to have a replica on another one of its disks, as an operator does (KIP-113)."""

from __future__ import annotations

from highwater.harness.gate.headers import ALTER_REPLICA_LOG_DIRS
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire

VERSION = 1  # which brokers of 2.0 to 4.x answer


def move_to_disk(wire: Wire, where: TopicPartition, directory: str) -> None:
    """The broker begins to copy its replica into this log directory; raises AnswerError."""
    body = Writer(flexible=False)

    def topic(name: str) -> None:
        body.nullable_string(name)
        body.array((where.partition,), body.int32)

    def disk(path: str) -> None:
        body.nullable_string(path)
        body.array((where.topic,), topic)

    body.array((directory,), disk)
    answer = wire.ask(ALTER_REPLICA_LOG_DIRS, VERSION, bytes(body.buffer))
    answer.int32()  # throttle time
    for code in (code for codes in answer.array(lambda: _codes(answer)) for code in codes):
        if code:
            raise AnswerError(f"moving {where} into {directory}", code)


def _codes(answer: Reader) -> tuple[int, ...]:
    def partition() -> int:
        answer.int32()
        return answer.int16()

    answer.string()
    return answer.array(partition)
