"""Which log directory a replica is in, and moving it: read and answered by kio."""

from __future__ import annotations

from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.model import TopicPartition
from highwater.harness.probes.log_dirs import LogDirs, log_dirs, move_to_log_dir
from highwater.harness.probes.wire import AnswerError

WHERE = TopicPartition("orders", 3)
OFFLINE = 56


def _described(**held: tuple[bool, ...]) -> Any:
    """By directory, whether each replica that is there is a future one."""
    answer = schema("describe_log_dirs", 1, "response")
    return answer.DescribeLogDirsResponse(
        throttle_time=AT_ONCE,
        results=tuple(
            answer.DescribeLogDirsResult(
                error_code=ErrorCode(0),
                log_dir=f"/{name}",
                topics=(_topic(answer, futures),) if futures else (),
            )
            for name, futures in held.items()
        ),
    )


def _topic(answer: Any, futures: tuple[bool, ...]) -> Any:
    return answer.DescribeLogDirsTopic(
        name=WHERE.topic,
        partitions=tuple(
            answer.DescribeLogDirsPartition(
                partition_index=3, partition_size=70, offset_lag=0, is_future_key=each
            )
            for each in futures
        ),
    )


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (_described(a=(False,), b=()), LogDirs(frozenset({"/a", "/b"}), "/a", "")),
        (_described(a=(False,), b=(True,)), LogDirs(frozenset({"/a", "/b"}), "/a", "/b")),
        (_described(a=(), b=(False,)), LogDirs(frozenset({"/a", "/b"}), "/b", "")),
    ],
)
def test_a_broker_tells_where_a_replica_is_and_where_it_goes(told: Any, expected: LogDirs) -> None:
    asked = schema("describe_log_dirs", 1, "request").DescribeLogDirsRequest

    with answering(asked, told) as (wire, heard):
        assert log_dirs(wire, WHERE) == expected

    (topic,) = heard[0].topics
    assert (topic.topic, topic.partitions) == ("orders", (3,))


def test_a_replica_that_is_nowhere_is_not_told_of() -> None:
    asked = schema("describe_log_dirs", 1, "request").DescribeLogDirsRequest

    with answering(asked, _described(a=(), b=())) as (wire, _), pytest.raises(LookupError):
        log_dirs(wire, WHERE)


def test_a_log_directory_that_has_failed_is_an_error() -> None:
    asked, answer = (schema("describe_log_dirs", 1, each) for each in ("request", "response"))
    failed = answer.DescribeLogDirsResult(error_code=ErrorCode(OFFLINE), log_dir="/a", topics=())
    told = answer.DescribeLogDirsResponse(throttle_time=AT_ONCE, results=(failed,))

    with (
        answering(asked.DescribeLogDirsRequest, told) as (wire, _),
        pytest.raises(AnswerError, match="/a"),
    ):
        log_dirs(wire, WHERE)


@pytest.mark.parametrize("code", [0, OFFLINE])
def test_a_replica_is_moved_or_is_not(code: int) -> None:
    asked, answer = (schema("alter_replica_log_dirs", 1, each) for each in ("request", "response"))
    partition = answer.AlterReplicaLogDirPartitionResult(
        partition_index=3, error_code=ErrorCode(code)
    )
    topic = answer.AlterReplicaLogDirTopicResult(topic_name="orders", partitions=(partition,))
    told = answer.AlterReplicaLogDirsResponse(throttle_time=AT_ONCE, results=(topic,))

    with answering(asked.AlterReplicaLogDirsRequest, told) as (wire, heard):
        if code:
            with pytest.raises(AnswerError, match="moving orders-3 to /b"):
                move_to_log_dir(wire, WHERE, "/b")
        else:
            move_to_log_dir(wire, WHERE, "/b")

    (log_dir,) = heard[0].dirs
    assert (log_dir.path, log_dir.topics[0].name) == ("/b", "orders")
    assert log_dir.topics[0].partitions == (3,)
