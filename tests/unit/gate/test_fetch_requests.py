"""Fetch requests against two foreign ones: kio for versions 2 to 17, kafka-python for 4 to 18."""

from __future__ import annotations

import importlib
import io
import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.protocol.consumer import FetchRequest as KafkaRequest
from kio.serial import entity_reader, entity_writer

from highwater.harness.gate.fetch_request import (
    NO_HIGH_WATERMARK,
    FetchedPartition,
    FetchRequest,
    decode_fetch_request,
    encode_fetch_request,
)
from highwater.harness.gate.fetch_response import (
    decode_fetch_response,
)
from highwater.harness.gate.headers import is_flexible
from highwater.harness.gate.primitives import DecodeError, Reader, Writer

TOPIC_ID = uuid.UUID("6f1f9a52-4a0f-4f0f-9d0e-0a5b1c2d3e4f")
ALL_VERSIONS = range(2, 19)
KIO_VERSIONS = range(2, 18)
KAFKA_PYTHON_VERSIONS = range(4, 19)

int32s = st.integers(-(1 << 31), (1 << 31) - 1)
int64s = st.integers(-(1 << 63), (1 << 63) - 1)


def reader(body: bytes, version: int) -> Reader:
    return Reader(body, 0, is_flexible(1, version))


def kio_write(entity: Any) -> bytes:
    stream = io.BytesIO()
    entity_writer(type(entity))(stream, entity)
    return stream.getvalue()


def known_to(version: int, since: int, value: int, absent: int = -1) -> int:
    return value if version >= since else absent


def expected_partition(version: int, partition: int, offset: int) -> FetchedPartition:
    return FetchedPartition(
        topic="t" if version < 13 else None,
        topic_id=None if version < 13 else TOPIC_ID,
        partition=partition,
        fetch_offset=offset,
        max_bytes=77,
        current_leader_epoch=known_to(version, 9, 5),
        last_fetched_epoch=known_to(version, 12, 4),
        log_start_offset=known_to(version, 5, 3),
    )


def kio_request(version: int, replica_id: int, offset: int) -> Any:
    schema = importlib.import_module(f"kio.schema.fetch.v{version}.request")

    def partition(number: int) -> Any:
        fields: dict[str, Any] = {
            "partition": number,
            "fetch_offset": offset,
            "partition_max_bytes": 77,
        }
        newer = ((9, "current_leader_epoch", 5), (12, "last_fetched_epoch", 4))
        every = (*newer, (5, "log_start_offset", 3))
        fields |= {name: value for since, name, value in every if version >= since}
        return schema.FetchPartition(**fields)

    name = {"topic": "t"} if version < 13 else {"topic_id": TOPIC_ID}
    fields: dict[str, Any] = {
        "max_wait": timedelta(milliseconds=500),
        "min_bytes": 1,
        "topics": (schema.FetchTopic(**name, partitions=(partition(0), partition(9))),),
    }
    if version >= 7:
        forgotten = schema.ForgottenTopic(**name, partitions=(1, 2))
        fields |= {"session_id": 11, "session_epoch": 12, "forgotten_topics_data": (forgotten,)}
    if version >= 11:
        fields["rack_id"] = "rack"
    if version >= 15:
        state = schema.ReplicaState(replica_id=replica_id, replica_epoch=8)
        fields["replica_state"] = state
    else:
        fields["replica_id"] = replica_id
    return schema.FetchRequest(**fields)


def kafka_python_body(version: int, replica_id: int, offset: int) -> bytes:
    """The same request, spelled by the other oracle."""
    topic = {"topic": "t"} if version < 13 else {"topic_id": TOPIC_ID}
    partitions = [
        KafkaRequest.FetchTopic.FetchPartition(
            version=version,
            partition=number,
            current_leader_epoch=5,
            fetch_offset=offset,
            last_fetched_epoch=4 if version >= 12 else -1,
            log_start_offset=3,
            partition_max_bytes=77,
        )
        for number in (0, 9)
    ]
    fields: dict[str, Any] = {}
    if version >= 15:
        state = KafkaRequest.ReplicaState(version=version, replica_id=replica_id, replica_epoch=8)
        fields["replica_state"] = state
    else:
        fields["replica_id"] = replica_id
    if version >= 7:
        fields |= {"session_id": 11, "session_epoch": 12, "forgotten_topics_data": []}
    request = KafkaRequest(
        version=version,
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=(1 << 31) - 1,
        isolation_level=0,
        topics=[KafkaRequest.FetchTopic(version=version, partitions=partitions, **topic)],
        rack_id="rack" if version >= 11 else "",
        **fields,
    )
    return bytes(request.encode(version=version))


def assert_is_the_request(
    decoded: FetchRequest, version: int, replica_id: int, offset: int
) -> None:
    expected = tuple(expected_partition(version, number, offset) for number in (0, 9))
    assert decoded.partitions == expected
    assert decoded.replica_id == replica_id
    assert (decoded.max_wait_ms, decoded.min_bytes) == (500, 1)
    assert decoded.session_id == known_to(version, 7, 11, 0)
    assert decoded.session_epoch == known_to(version, 7, 12)
    assert decoded.rack_id == ("rack" if version >= 11 else "")


@pytest.mark.parametrize("version", KIO_VERSIONS)
def test_a_request_written_by_kio_is_read(version: int) -> None:
    body = kio_write(kio_request(version, replica_id=3, offset=1 << 40))

    decoded = decode_fetch_request(reader(body, version), version)

    assert_is_the_request(decoded, version, 3, 1 << 40)


@pytest.mark.parametrize("version", KAFKA_PYTHON_VERSIONS)
def test_a_request_written_by_kafka_python_is_read(version: int) -> None:
    body = kafka_python_body(version, replica_id=3, offset=1 << 40)

    decoded = decode_fetch_request(reader(body, version), version)

    assert_is_the_request(decoded, version, 3, 1 << 40)


def our_request(version: int, replica_id: int, offset: int) -> FetchRequest:
    return FetchRequest(
        replica_id=replica_id,
        partitions=(expected_partition(version, 6, offset),),
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=1000 if version >= 3 else -1,
        session_id=known_to(version, 7, 11, 0),
        session_epoch=known_to(version, 7, 12),
        rack_id="rack" if version >= 11 else "",
    )


@pytest.mark.parametrize("version", KIO_VERSIONS)
def test_kio_reads_the_request_that_we_write(version: int) -> None:
    schema = importlib.import_module(f"kio.schema.fetch.v{version}.request")
    body = encode_fetch_request(our_request(version, -2, 42), version)

    read, consumed = entity_reader(schema.FetchRequest)(body, 0)

    state = read.replica_state if version >= 15 else read
    assert consumed == len(body)
    assert state.replica_id == -2
    assert read.max_wait == timedelta(milliseconds=500)
    assert read.topics[0].partitions[0].partition == 6
    assert read.topics[0].partitions[0].fetch_offset == 42
    assert read.topics[0].partitions[0].partition_max_bytes == 77


@pytest.mark.parametrize("version", KAFKA_PYTHON_VERSIONS)
def test_kafka_python_reads_the_request_that_we_write(version: int) -> None:
    body = encode_fetch_request(our_request(version, -2, 42), version)

    read = KafkaRequest.decode(body, version=version)

    state = read.replica_state if version >= 15 else read
    assert state.replica_id == -2
    assert read.topics[0].partitions[0].partition == 6
    assert read.topics[0].partitions[0].fetch_offset == 42


@settings(max_examples=60, deadline=None)
@given(version=st.sampled_from(ALL_VERSIONS), replica_id=int32s, offset=int64s, mark=int64s)
def test_a_request_that_we_write_reads_back_the_same(
    version: int, replica_id: int, offset: int, mark: int
) -> None:
    plain = expected_partition(version, 6, offset)
    fetched = FetchedPartition(
        topic=plain.topic,
        topic_id=plain.topic_id,
        partition=6,
        fetch_offset=offset,
        high_watermark=mark if version >= 18 else NO_HIGH_WATERMARK,
    )
    request = FetchRequest(replica_id, (plain, fetched), max_bytes=9 if version >= 3 else -1)

    body = encode_fetch_request(request, version)

    assert decode_fetch_request(reader(body, version), version) == request


@pytest.mark.parametrize("version", [1, 19])
def test_a_version_that_is_not_known_is_refused(version: int) -> None:
    with pytest.raises(DecodeError, match="between 2 and 18"):
        decode_fetch_request(Reader(bytes(100), 0, flexible=False), version)


@given(value=st.integers(-(1 << 31), (1 << 31) - 1))
def test_a_varint_reads_back_the_same(value: int) -> None:
    writer = Writer(flexible=True)

    writer.varint(value)

    assert Reader(writer.buffer, 0, flexible=True).varint() == value


@settings(max_examples=200, deadline=None)
@given(version=st.sampled_from(ALL_VERSIONS), body=st.binary(max_size=200))
def test_any_bytes_either_decode_or_are_refused(version: int, body: bytes) -> None:
    for decode in (decode_fetch_request, decode_fetch_response):
        partitions: tuple[object, ...] = ()
        with suppress(DecodeError):
            partitions = decode(reader(body, version), version).partitions

        assert len(partitions) <= len(body)
