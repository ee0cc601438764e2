"""What is asked of brokers by hand, read and answered by kio at the other end of a socket."""

from __future__ import annotations

import socket
import struct
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader
from kio.static.primitive import i32, i32Timedelta
from tests.unit.gate.test_other_codecs import kio_write, schema

from highwater.harness.gate import headers
from highwater.harness.model import TopicPartition
from highwater.harness.probes.coordinators import (
    find_coordinator,
    heartbeat,
    join_group,
    leave_group,
    offsets_partition,
    sync_group,
)
from highwater.harness.probes.shares import VERSION, share_members
from highwater.harness.probes.topics import create_topic_anywhere, delete_records
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.versions.catalogue import find_kafka

AT_ONCE = i32Timedelta.parse(timedelta(0))
OLD, NEW = find_kafka("0.10.2.2"), find_kafka("4.3.1")
JOINED: Any = {
    "error_code": ErrorCode(0), "generation_id": 4, "protocol_name": "by-hand", "leader": "one",
    "member_id": "one",
}  # fmt: skip


@contextmanager
def answering(
    request: type[Any], answer: Any, version: int | None = None
) -> Iterator[tuple[Wire, list[Any]]]:
    """A wire to somebody who reads one request, and what was read; kio may lack its version."""
    read: list[Any] = []

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            frame = struct.pack(">i", size := struct.unpack(">i", stream.read(4))[0])
            frame += stream.read(size)
            header = headers.read_request_header(frame)
            body_at = headers.request_body(frame, header).position
            assert header.api_version == (request.__version__ if version is None else version)
            read.append(entity_reader(request)(frame, body_at)[0])
            tags = b"\0" if request.__flexible__ else b""
            told = struct.pack(">i", header.correlation_id) + tags + kio_write(answer)
            connection.sendall(struct.pack(">i", len(told)) + told)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        wire = Wire("127.0.0.1", listener.getsockname()[1])
        yield wire, read
        wire.close()
        thread.join(5)


@pytest.mark.parametrize(
    ("group", "partition"),
    [("hello", 99_162_322 % 50), ("polygenelubricants", 0), ("", 0), ("a", 97 % 50)],
)
def test_a_group_is_at_the_partition_that_javas_hash_says(group: str, partition: int) -> None:
    """The second one's hash is the smallest of all numbers, which has no absolute value."""
    assert offsets_partition(group, 50) == partition


def test_any_broker_names_a_coordinator_or_says_why_not() -> None:
    asked, answer = (
        schema("find_coordinator", 0, "request"),
        schema("find_coordinator", 0, "response"),
    )
    told = answer.FindCoordinatorResponse(error_code=ErrorCode(0), node_id=3, host="h", port=1)
    refused = answer.FindCoordinatorResponse(error_code=ErrorCode(15), node_id=-1, host="", port=-1)

    with answering(asked.FindCoordinatorRequest, told) as (wire, read):
        assert find_coordinator(wire, "billing") == 3
    with (
        answering(asked.FindCoordinatorRequest, refused) as (wire, _),
        pytest.raises(AnswerError, match="who coordinates billing"),
    ):
        find_coordinator(wire, "billing")

    assert [each.key for each in read] == ["billing"]


@pytest.mark.parametrize(("kafka", "version"), [(OLD, 1), (NEW, 2)])
def test_a_member_joins_and_hears_of_the_others(kafka: Any, version: int) -> None:
    asked, answer = (
        schema("join_group", version, "request"),
        schema("join_group", version, "response"),
    )
    more = {"throttle_time": AT_ONCE} if version >= 2 else {}
    told = answer.JoinGroupResponse(
        **JOINED,
        members=tuple(
            answer.JoinGroupResponseMember(member_id=each, metadata=b"x") for each in ("one", "two")
        ),
        **more,
    )

    with answering(asked.JoinGroupRequest, told) as (wire, read):
        joined = join_group(kafka, wire, "billing", "one")

    assert (joined.generation, joined.leader, joined.member) == (4, "one", "one")
    assert joined.members == ("one", "two")
    assert (read[0].group_id, read[0].member_id, read[0].protocol_type) == (
        "billing",
        "one",
        "consumer",
    )
    assert [each.name for each in read[0].protocols] == ["by-hand"]


def test_a_member_has_the_session_that_it_asks_for() -> None:
    asked, answer = schema("join_group", 1, "request"), schema("join_group", 1, "response")
    told = answer.JoinGroupResponse(**JOINED, members=())

    with answering(asked.JoinGroupRequest, told) as (wire, read):
        join_group(OLD, wire, "billing", session_ms=300_000)

    assert read[0].session_timeout == timedelta(seconds=300)


@pytest.mark.parametrize("is_there", [True, False])
def test_anybody_says_that_a_member_leaves(is_there: bool) -> None:
    asked, answer = schema("leave_group", 0, "request"), schema("leave_group", 0, "response")
    told = answer.LeaveGroupResponse(error_code=ErrorCode(0 if is_there else 25))

    with answering(asked.LeaveGroupRequest, told) as (wire, read):
        if is_there:
            leave_group(wire, "billing", "one")
        else:
            with pytest.raises(AnswerError, match=r"one leaves billing .*UNKNOWN_MEMBER_ID"):
                leave_group(wire, "billing", "one")

    assert (read[0].group_id, read[0].member_id) == ("billing", "one")


def test_a_leader_says_what_for_whom_and_is_handed_its_own_share() -> None:
    asked, answer = schema("sync_group", 0, "request"), schema("sync_group", 0, "response")
    told = answer.SyncGroupResponse(error_code=ErrorCode(0), assignment=b"mine")

    with answering(asked.SyncGroupRequest, told) as (wire, read):
        assert sync_group(wire, "billing", (4, "one"), {"one": b"mine", "two": b""}) == b"mine"

    assert (read[0].generation_id, read[0].member_id) == (4, "one")
    shares = {each.member_id: each.assignment for each in read[0].assignments}
    assert shares == {"one": b"mine", "two": b""}


@pytest.mark.parametrize("is_dealt", [True, False])
def test_a_heartbeat_names_a_topic_and_is_answered_with_partitions(is_dealt: bool) -> None:
    asked = schema("consumer_group_heartbeat", 0, "request")
    answer = schema("consumer_group_heartbeat", 0, "response")
    share = answer.TopicPartitions(topic_id=uuid.uuid4(), partitions=(0, 2))
    told = answer.ConsumerGroupHeartbeatResponse(
        throttle_time=AT_ONCE,
        error_code=ErrorCode(0),
        error_message=None,
        member_id="one",
        member_epoch=1,
        heartbeat_interval=AT_ONCE,
        assignment=answer.Assignment(topic_partitions=(share,)) if is_dealt else None,
    )

    with answering(asked.ConsumerGroupHeartbeatRequest, told) as (wire, read):
        assert heartbeat(wire, "billing", "orders") == ((0, 2) if is_dealt else ())

    assert (read[0].group_id, read[0].member_epoch) == ("billing", 0)
    assert read[0].subscribed_topic_names == ("orders",)
    assert read[0].topic_partitions == ()


@pytest.mark.parametrize(("kafka", "version"), [(OLD, 0), (NEW, 2)])
@pytest.mark.parametrize("code", [0, 38])
def test_a_topic_is_asked_for_without_saying_where(kafka: Any, version: int, code: int) -> None:
    asked = schema("create_topics", version, "request")
    answer = schema("create_topics", version, "response")
    why = {"error_message": "too few"} if version >= 1 else {}
    one = answer.CreatableTopicResult(name="orders", error_code=ErrorCode(code), **why)
    more = {"throttle_time": AT_ONCE} if version >= 2 else {}

    with answering(
        asked.CreateTopicsRequest, answer.CreateTopicsResponse(topics=(one,), **more)
    ) as (wire, read):
        if code:
            with pytest.raises(AnswerError, match=r"creating orders.*INVALID_REPLICATION_FACTOR"):
                create_topic_anywhere(kafka, wire, "orders", 6, 2)
        else:
            create_topic_anywhere(kafka, wire, "orders", 6, 2)

    (topic,) = read[0].topics
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("orders", 6, 2)
    assert topic.assignments == topic.configs == ()


@pytest.mark.parametrize("code", [0, 1])
def test_records_are_deleted_below_an_offset(code: int) -> None:
    asked, answer = schema("delete_records", 0, "request"), schema("delete_records", 0, "response")
    one = answer.DeleteRecordsPartitionResult(
        partition_index=2, low_watermark=7, error_code=ErrorCode(code)
    )
    topic = answer.DeleteRecordsTopicResult(name="orders", partitions=(one,))
    told = answer.DeleteRecordsResponse(throttle_time=AT_ONCE, topics=(topic,))
    where = TopicPartition("orders", 2)

    with answering(asked.DeleteRecordsRequest, told) as (wire, read):
        if code:
            with pytest.raises(AnswerError, match=r"orders-2 below 7.*OFFSET_OUT_OF_RANGE"):
                delete_records(wire, where, 7)
        else:
            assert delete_records(wire, where, 7) == 7

    (deleted,) = read[0].topics
    assert [(each.partition_index, each.offset) for each in deleted.partitions] == [(2, 7)]


def share_group(code: int, *clients: str) -> Any:
    """Each has two partitions of one topic; as version 0 of the preview, which had these fields."""
    answer = schema("share_group_describe", 0, "response")
    topic = answer.TopicPartitions(
        topic_id=uuid.UUID(int=7), topic_name="orders", partitions=(i32(0), i32(2))
    )
    members = [
        answer.Member(
            member_id=f"id-of-{each}",
            rack_id=None,
            member_epoch=i32(3),
            client_id=each,
            client_host="/127.0.0.1",
            subscribed_topic_names=("orders",),
            assignment=answer.Assignment(topic_partitions=(topic,)),
        )
        for each in clients
    ]
    group = answer.DescribedGroup(
        error_code=ErrorCode(code),
        error_message="not I" if code else None,
        group_id="workers",
        group_state="Stable",
        group_epoch=i32(4),
        assignment_epoch=i32(4),
        assignor_name="simple",
        members=tuple(members),
    )
    return answer.ShareGroupDescribeResponse(throttle_time=AT_ONCE, groups=(group,))


def test_who_is_in_a_share_group_its_coordinator_tells() -> None:
    asked = schema("share_group_describe", 0, "request").ShareGroupDescribeRequest
    has = frozenset({("orders", 0), ("orders", 2)})

    with answering(asked, share_group(0, "w-1", "w-2"), VERSION) as (wire, read):
        assert share_members(wire, "workers") == {"w-1": has, "w-2": has}
    with answering(asked, share_group(69), VERSION) as (wire, _):
        assert share_members(wire, "workers") == {}
    with (
        answering(asked, share_group(16), VERSION) as (wire, _),
        pytest.raises(AnswerError, match=r"members of workers.*NOT_COORDINATOR.*not I"),
    ):
        share_members(wire, "workers")

    assert [each.group_ids for each in read] == [("workers",)]
