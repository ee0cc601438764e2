"""What a KRaft controller refuses is an error, though the request was taken."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, cast

import pytest

from highwater.harness.gate.headers import ALTER_PARTITION_REASSIGNMENTS, ELECT_LEADERS
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.metadata.kraft import KRaftMetadata
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError

WHERE = TopicPartition("orders")
NONE, INVALID_REPLICA_ASSIGNMENT = 0, 39
PREFERRED_LEADER_NOT_AVAILABLE, ELECTION_NOT_NEEDED = 80, 84
TOPIC_ALREADY_EXISTS = 36


class OneAnswer:
    """A broker that answers whatever it is asked with an error code for orders-0."""

    def __init__(self, code: int) -> None:
        self._code = code

    def ask(self, api_key: int, _version: int, _body: bytes, _timeout_s: float) -> Reader:
        answer = Writer(flexible=api_key == ALTER_PARTITION_REASSIGNMENTS)
        answer.int32(0)  # throttle time
        answer.int16(NONE)  # of the request
        if api_key != ELECT_LEADERS:
            answer.nullable_string(None)
        answer.array((WHERE,), lambda each: self._topic(answer, each))
        answer.tags()
        return Reader(bytes(answer.buffer), 0, answer.flexible)

    def _topic(self, answer: Writer, where: TopicPartition) -> None:
        answer.nullable_string(where.topic)
        answer.array((where.partition,), lambda number: self._partition(answer, number))
        answer.tags()

    def _partition(self, answer: Writer, number: int) -> None:
        answer.int32(number)
        answer.int16(self._code)
        answer.nullable_string("so it is")
        answer.tags()


def metadata_that_is_told(code: int) -> KRaftMetadata:
    wires: Any = {1: OneAnswer(code)}
    return KRaftMetadata(wires, cast("Any", {1: None}))


Move = Callable[[KRaftMetadata], None]
ELECT: Move = lambda metadata: metadata.elect_preferred(WHERE)  # noqa: E731 - a parameter
REASSIGN: Move = lambda metadata: metadata.begin_reassignment(WHERE, (2, 1))  # noqa: E731


@pytest.mark.parametrize(
    ("move", "code", "named"),
    [
        (ELECT, PREFERRED_LEADER_NOT_AVAILABLE, "PREFERRED_LEADER_NOT_AVAILABLE"),
        (REASSIGN, INVALID_REPLICA_ASSIGNMENT, "INVALID_REPLICA_ASSIGNMENT"),
    ],
)
def test_what_is_refused_is_an_error(move: Move, code: int, named: str) -> None:
    metadata = metadata_that_is_told(code)

    with pytest.raises(AnswerError, match=f"orders-0 .*error {code} .{named}"):
        move(metadata)

    metadata.close()


@pytest.mark.parametrize(
    ("move", "code"), [(ELECT, NONE), (ELECT, ELECTION_NOT_NEEDED), (REASSIGN, NONE)]
)
def test_what_is_taken_or_needless_is_none(move: Move, code: int) -> None:
    metadata = metadata_that_is_told(code)

    move(metadata)

    metadata.close()


class LosesTheFirst:
    """A broker that creates a topic, and whose answer to that does not come; asked again, it says
    that there is one.
    """

    def __init__(self, *lost: OSError) -> None:
        self._lost = list(lost)

    def ask(self, _api_key: int, _version: int, _body: bytes, _timeout_s: float) -> Reader:
        if self._lost:
            raise self._lost.pop()
        answer = Writer(flexible=True)
        answer.int32(0)  # throttle time
        answer.array((WHERE.topic,), lambda name: self._topic(answer, name))
        answer.tags()
        return Reader(bytes(answer.buffer), 0, flexible=True)

    def _topic(self, answer: Writer, name: str) -> None:
        answer.nullable_string(name)
        answer.uuid(uuid.UUID(int=0))
        answer.int16(TOPIC_ALREADY_EXISTS)
        answer.nullable_string("there is one")
        answer.tags()


@pytest.mark.parametrize("lost", [(), (ConnectionRefusedError(),)], ids=["at once", "at last"])
def test_a_topic_that_was_there_before_is_not_created(lost: tuple[OSError, ...]) -> None:
    """Nor is one of which nobody can have been told to create it."""
    metadata = KRaftMetadata(cast("Any", {1: LosesTheFirst(*lost)}), cast("Any", {1: None}))

    with pytest.raises(AnswerError, match=r"creating orders .*TOPIC_ALREADY_EXISTS"):
        metadata.create_topic("orders", [[1]], {})

    metadata.close()
