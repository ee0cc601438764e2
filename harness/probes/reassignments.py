"""Which replicas a controller says are on the move, by hand (KIP-455)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from highwater.harness.gate.headers import LIST_PARTITION_REASSIGNMENTS
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire

TIMEOUT_MS = 3_000
Key = tuple[str, int]  # a partition, as brokers name it


class Move(NamedTuple):
    """Whom a partition is being given to, and whom it is being taken from."""

    adding: tuple[int, ...]
    removing: tuple[int, ...]


def moves_under_way(wire: Wire, wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
    """Of these partitions those whose replicas move; a broker of KRaft hands the question on.

    Raises AnswerError, where nobody is the controller, say.
    """
    body = Writer(flexible=True)
    body.int32(TIMEOUT_MS)
    body.array(tuple(wheres), lambda each: _write_partition(body, each))
    body.tags()
    answer = wire.ask(LIST_PARTITION_REASSIGNMENTS, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    if code := answer.int16():
        raise AnswerError("listing what is on the move", code)
    answer.nullable_string()
    topics = answer.array(lambda: _read_topic(answer))
    return {key: move for topic in topics for key, move in topic}


def _write_partition(body: Writer, where: TopicPartition) -> None:
    body.nullable_string(where.topic)
    body.array((where.partition,), body.int32)
    body.tags()


def _read_topic(answer: Reader) -> list[tuple[Key, Move]]:
    topic = answer.string()

    def partition() -> tuple[Key, Move]:
        number = answer.int32()
        answer.array(answer.int32)  # all of them
        move = Move(tuple(answer.array(answer.int32)), tuple(answer.array(answer.int32)))
        answer.tags()
        return (topic, number), move

    found = list(answer.array(partition))
    answer.tags()
    return found
