"""Headers, ListOffsets, OffsetsForLeaderEpoch and Metadata against kio and kafka-python."""

from __future__ import annotations

import importlib
import io
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from kafka.protocol.metadata import MetadataRequest as KafkaMetadataRequest
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer

from highwater.harness.gate import headers
from highwater.harness.gate.describe_topic_partitions import (
    decode_describe_response,
    encode_describe_request,
)
from highwater.harness.gate.leader_epochs import AskedEpoch, decode_leader_epochs_request
from highwater.harness.gate.list_offsets import (
    DEBUGGING_REPLICA,
    LATEST,
    AskedOffset,
    ListedOffset,
    ListOffsetsRequest,
    decode_list_offsets_request,
    decode_list_offsets_response,
    encode_list_offsets_request,
)
from highwater.harness.gate.metadata import (
    KnownBroker,
    KnownPartition,
    decode_metadata_response,
    encode_metadata_request,
)
from highwater.harness.gate.primitives import DecodeError, Reader


def schema(api: str, version: int, part: str) -> Any:
    return importlib.import_module(f"kio.schema.{api}.v{version}.{part}")


def kio_write(entity: Any) -> bytes:
    stream = io.BytesIO()
    entity_writer(type(entity))(stream, entity)
    return stream.getvalue()


def plain(body: bytes) -> Reader:
    return Reader(body, 0, flexible=False)


@pytest.mark.parametrize(("api_key", "version"), [(1, 11), (1, 12), (23, 3), (23, 4), (3, 9)])
def test_a_request_frame_has_the_header_that_kio_writes(api_key: int, version: int) -> None:
    number = 2 if headers.is_flexible(api_key, version) else 1
    header = importlib.import_module(f"kio.schema.request_header.v{number}.header").RequestHeader
    expected = kio_write(
        header(
            request_api_key=api_key,
            request_api_version=version,
            correlation_id=77,
            client_id="broker-2-fetcher-0",
        )
    )

    frame = headers.encode_request(api_key, version, 77, "broker-2-fetcher-0", b"body")

    assert frame == (len(expected) + 4).to_bytes(4, "big") + expected + b"body"
    read = headers.read_request_header(frame)
    assert (read.api_key, read.api_version, read.correlation_id) == (api_key, version, 77)
    assert read.client_id == "broker-2-fetcher-0"
    assert bytes(headers.request_body(frame, read).take(4)) == b"body"


def test_a_header_is_asked_for_in_steps_until_its_client_id_is_there() -> None:
    frame = headers.encode_request(1, 11, 1, "abc", bytes(100))
    length = len(frame) - 4

    steps = [headers.header_bytes_needed(frame[:size], length) for size in (4, 14, 17)]

    assert steps == [14, 17, 17]
    assert headers.header_bytes_needed(bytes(4), 3) == 7


def test_a_frame_too_short_for_a_header_is_refused() -> None:
    with pytest.raises(DecodeError):
        headers.read_request_header(b"\0\0\0\3abc")


@pytest.mark.parametrize("version", [0, 1])
def test_kio_reads_the_list_offsets_request_that_we_write(version: int) -> None:
    asked = ListOffsetsRequest(DEBUGGING_REPLICA, (AskedOffset("t", 3, LATEST),))

    body = encode_list_offsets_request(asked, version)

    read, consumed = entity_reader(schema("list_offsets", version, "request").ListOffsetsRequest)(
        body, 0
    )
    assert consumed == len(body)
    assert read.replica_id == -2
    assert read.topics[0].name == "t"
    assert read.topics[0].partitions[0].partition_index == 3
    assert read.topics[0].partitions[0].timestamp == -1
    assert decode_list_offsets_request(plain(body), version) == asked


def test_a_topic_is_spelled_once_for_all_its_partitions() -> None:
    asked = tuple(AskedOffset(topic, each, LATEST) for each in (1, 2) for topic in ("t", "u"))

    body = encode_list_offsets_request(ListOffsetsRequest(DEBUGGING_REPLICA, asked), 1)

    read, _ = entity_reader(schema("list_offsets", 1, "request").ListOffsetsRequest)(body, 0)
    assert [
        (topic.name, [each.partition_index for each in topic.partitions]) for topic in read.topics
    ] == [("t", [1, 2]), ("u", [1, 2])]


@pytest.mark.parametrize("version", range(9))
def test_a_list_offsets_request_of_any_version_is_read(version: int) -> None:
    module = schema("list_offsets", version, "request")
    oldest = {"max_num_offsets": 1} if version == 0 else {}
    partition = module.ListOffsetsPartition(partition_index=3, timestamp=-1, **oldest)
    topic = module.ListOffsetsTopic(name="t", partitions=(partition,))
    isolation = {"isolation_level": 1} if version >= 2 else {}
    request = module.ListOffsetsRequest(replica_id=4, topics=(topic,), **isolation)
    body = kio_write(request)

    read = decode_list_offsets_request(Reader(body, 0, headers.is_flexible(2, version)), version)

    assert read == ListOffsetsRequest(4, (AskedOffset("t", 3, -1),), committed_only=version >= 2)


def test_a_last_stable_offset_is_asked_for_and_read() -> None:
    asked = ListOffsetsRequest(-1, (AskedOffset("t", 3, LATEST),), committed_only=True)
    v2 = schema("list_offsets", 2, "response")
    told = v2.ListOffsetsPartitionResponse(
        partition_index=3, error_code=ErrorCode(0), timestamp=-1, offset=9
    )
    topic = v2.ListOffsetsTopicResponse(name="t", partitions=(told,))
    answer = v2.ListOffsetsResponse(throttle_time=timedelta(0), topics=(topic,))

    body = encode_list_offsets_request(asked, 2)

    read, _ = entity_reader(schema("list_offsets", 2, "request").ListOffsetsRequest)(body, 0)
    assert read.isolation_level == 1
    assert decode_list_offsets_request(plain(body), 2) == asked
    (listed,) = decode_list_offsets_response(plain(kio_write(answer)), 2)
    assert (listed.error, listed.offsets) == (0, (9,))
    with pytest.raises(ValueError, match="no last stable offset"):
        encode_list_offsets_request(asked, 1)


def test_listed_offsets_of_version_0_and_1_are_read() -> None:
    v0, v1 = (schema("list_offsets", version, "response") for version in (0, 1))
    old = v0.ListOffsetsPartitionResponse(
        partition_index=3, error_code=ErrorCode(0), old_style_offsets=(9, 0)
    )
    new = v1.ListOffsetsPartitionResponse(
        partition_index=3,
        error_code=ErrorCode(6),
        timestamp=1000,
        offset=9,
    )
    bodies = [
        kio_write(
            module.ListOffsetsResponse(
                topics=(module.ListOffsetsTopicResponse(name="t", partitions=(one,)),)
            )
        )
        for module, one in ((v0, old), (v1, new))
    ]

    listed = [decode_list_offsets_response(plain(body), v) for v, body in enumerate(bodies)]

    assert listed == [
        (ListedOffset("t", 3, 0, -1, (9, 0)),),
        (ListedOffset("t", 3, 6, 1000, (9,)),),
    ]


@pytest.mark.parametrize("version", range(5))
def test_a_leader_epochs_request_of_any_version_is_read(version: int) -> None:
    module = schema("offset_for_leader_epoch", version, "request")
    newer = {"current_leader_epoch": 6} if version >= 2 else {}
    partition = module.OffsetForLeaderPartition(partition=3, leader_epoch=5, **newer)
    topic = module.OffsetForLeaderTopic(topic="t", partitions=(partition,))
    replica = {"replica_id": 2} if version >= 3 else {}
    body = kio_write(module.OffsetForLeaderEpochRequest(topics=(topic,), **replica))

    read = decode_leader_epochs_request(Reader(body, 0, headers.is_flexible(23, version)), version)

    assert read.partitions == (AskedEpoch("t", 3, 6 if version >= 2 else -1, 5),)
    assert read.replica_id == (2 if version >= 3 else -2)


@pytest.mark.parametrize("version", range(1, 9))
def test_kafka_python_reads_the_metadata_request_that_we_write(version: int) -> None:
    body = encode_metadata_request(("t", "u"), version)

    read = KafkaMetadataRequest.decode(body, version=version)

    assert [topic.name for topic in read.topics] == ["t", "u"]
    assert (
        KafkaMetadataRequest.decode(encode_metadata_request(None, version), version=version).topics
        is None
    )


@pytest.mark.parametrize("version", range(1, 9))
def test_metadata_written_by_kio_is_read(version: int) -> None:
    module = schema("metadata", version, "response")
    offline = {"offline_replicas": (3,)} if version >= 5 else {}
    epoch = {"leader_epoch": 8} if version >= 7 else {}
    partition = module.MetadataResponsePartition(
        error_code=ErrorCode(5),
        partition_index=0,
        leader_id=-1,
        replica_nodes=(1, 2, 3),
        isr_nodes=(1, 2),
        **offline,
        **epoch,
    )
    topics = tuple(
        module.MetadataResponseTopic(error_code=ErrorCode(error), name=name, partitions=partitions)
        for name, error, partitions in (("t", 0, (partition,)), ("u", 3, ()))
    )
    broker = module.MetadataResponseBroker(node_id=1, host="h", port=9092, rack=None)
    cluster: dict[str, Any] = {"cluster_id": "c"} if version >= 2 else {}
    if version >= 3:
        cluster["throttle_time"] = timedelta(0)
    body = kio_write(
        module.MetadataResponse(brokers=(broker,), controller_id=2, topics=topics, **cluster)
    )

    read = decode_metadata_response(plain(body), version)

    assert read.brokers == (KnownBroker(1, "h", 9092),)
    assert read.controller_id == 2
    assert read.partitions == (
        KnownPartition("t", 0, 5, -1, 8 if version >= 7 else -1, (1, 2, 3), (1, 2)),
    )
    assert read.topic_errors == {"u": 3}


def test_kio_reads_the_description_that_we_ask_for() -> None:
    module = schema("describe_topic_partitions", 0, "request")

    read = entity_reader(module.DescribeTopicPartitionsRequest)(encode_describe_request("t"), 0)[0]

    assert [topic.name for topic in read.topics] == ["t"]
    assert read.cursor is None


def test_kio_reads_from_which_partition_on_we_ask() -> None:
    module = schema("describe_topic_partitions", 0, "request")
    asked = encode_describe_request("t", 2000)

    read = entity_reader(module.DescribeTopicPartitionsRequest)(asked, 0)[0]

    assert (read.cursor.topic_name, read.cursor.partition_index) == ("t", 2000)


@pytest.mark.parametrize(("elr", "following"), [((3,), None), ((), 2000), (None, 1)])
def test_a_description_written_by_kio_is_read(
    elr: tuple[int, ...] | None, following: int | None
) -> None:
    module = schema("describe_topic_partitions", 0, "response")
    partition = module.DescribeTopicPartitionsResponsePartition(
        error_code=ErrorCode(5),
        partition_index=0,
        leader_id=-1,
        leader_epoch=8,
        replica_nodes=(1, 2, 3),
        isr_nodes=(1,),
        eligible_leader_replicas=elr,
        last_known_elr=None,
        offline_replicas=(2,),
    )
    topics = tuple(
        module.DescribeTopicPartitionsResponseTopic(
            error_code=ErrorCode(error), name=name, topic_id=uuid4(), partitions=partitions
        )
        for name, error, partitions in (("t", 0, (partition,)), ("u", 3, ()))
    )
    cursor = following and module.Cursor(topic_name="t", partition_index=following)
    answer = module.DescribeTopicPartitionsResponse(
        throttle_time=timedelta(0), topics=topics, next_cursor=cursor
    )

    read, first_left = decode_describe_response(Reader(kio_write(answer), 0, flexible=True))

    assert read == (KnownPartition("t", 0, 5, -1, 8, (1, 2, 3), (1,), elr or ()),)
    assert first_left == following
