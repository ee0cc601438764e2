"""Which of its log directories a broker has a replica in, and moving it to another (KIP-113)."""

from __future__ import annotations

from typing import NamedTuple

from highwater.harness.gate.headers import ALTER_REPLICA_LOG_DIRS, DESCRIBE_LOG_DIRS
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire

VERSION = 1  # of both: from 2.0 on, and still known to 4.x


class LogDirs(NamedTuple):
    """The paths as the broker has them: all, the one of the replica, and the one it moves to."""

    all: frozenset[str]
    current: str
    future: str  # "" while it does not move


def log_dirs(wire: Wire, where: TopicPartition) -> LogDirs:
    """Raises AnswerError where a log directory is offline, LookupError without the replica."""
    body = Writer(flexible=False)
    body.int32(1)
    body.nullable_string(where.topic)
    body.array((where.partition,), body.int32)
    answer = wire.ask(DESCRIBE_LOG_DIRS, VERSION, bytes(body.buffer))
    answer.int32()  # throttle time
    held = dict(answer.array(lambda: _log_dir(answer)))
    current = [path for path, futures in held.items() if False in futures]
    if len(current) != 1:
        raise LookupError(f"{where} is in the log directories {current}, not in one: {held}")
    future = [path for path, futures in held.items() if True in futures]
    return LogDirs(frozenset(held), current[0], "".join(future))


def _log_dir(answer: Reader) -> tuple[str, tuple[bool, ...]]:
    """Its path, and of each replica that was asked for and is there whether it is a future one."""
    code, path = answer.int16(), answer.string()
    if code:
        raise AnswerError(f"describing the log directory {path}", code)

    def partition() -> bool:
        answer.int32()
        answer.int64()  # bytes
        answer.int64()  # how far it is behind
        return answer.boolean()

    def topic() -> tuple[bool, ...]:
        answer.string()
        return answer.array(partition)

    return path, tuple(each for several in answer.array(topic) for each in several)


def move_to_log_dir(wire: Wire, where: TopicPartition, path: str) -> None:
    """Ask for it; the replica is copied, and is in the other one later. Raises AnswerError."""
    body = Writer(flexible=False)

    def topic(name: str) -> None:
        body.nullable_string(name)
        body.array((where.partition,), body.int32)

    def log_dir(each: str) -> None:
        body.nullable_string(each)
        body.array((where.topic,), topic)

    body.array((path,), log_dir)
    answer = wire.ask(ALTER_REPLICA_LOG_DIRS, VERSION, bytes(body.buffer))
    answer.int32()  # throttle time
    for code in _codes(answer):
        if code:
            raise AnswerError(f"moving {where} to {path}", code)


def _codes(answer: Reader) -> list[int]:
    def partition() -> int:
        answer.int32()
        return answer.int16()

    def topic() -> tuple[int, ...]:
        answer.string()
        return answer.array(partition)

    return [code for codes in answer.array(topic) for code in codes]
