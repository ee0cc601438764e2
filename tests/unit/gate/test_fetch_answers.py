"""Fetch answers against two foreign ones: kio for versions 2 to 17, kafka-python for 4 to 18."""

from __future__ import annotations

import importlib
import io
import struct
import uuid
from datetime import timedelta
from typing import Any

import pytest
from kafka.protocol.consumer import FetchResponse as KafkaResponse
from kio.schema.errors import ErrorCode
from kio.serial import entity_writer

from highwater.harness.gate.fetch_response import (
    DivergingEpoch,
    decode_fetch_response,
    record_span,
)
from highwater.harness.gate.headers import is_flexible
from highwater.harness.gate.primitives import DecodeError, Reader

TOPIC_ID = uuid.UUID("6f1f9a52-4a0f-4f0f-9d0e-0a5b1c2d3e4f")
KIO_VERSIONS = range(2, 18)
KAFKA_PYTHON_VERSIONS = range(4, 19)


def reader(body: bytes, version: int) -> Reader:
    return Reader(body, 0, is_flexible(1, version))


def kio_write(entity: Any) -> bytes:
    stream = io.BytesIO()
    entity_writer(type(entity))(stream, entity)
    return stream.getvalue()


def known_to(version: int, since: int, value: int, absent: int = -1) -> int:
    return value if version >= since else absent


def batch(base_offset: int, records: int) -> bytes:
    """The outside of a magic 2 batch; nothing here looks inside."""
    tail = struct.pack(">iBIhi", 1, 2, 0, 0, records - 1) + bytes(34)
    return struct.pack(">qi", base_offset, len(tail)) + tail


def message(offset: int, magic: int = 1) -> bytes:
    tail = struct.pack(">IBB", 0, magic, 0) + bytes(20)
    return struct.pack(">qi", offset, len(tail)) + tail


def kafka_python_answer(version: int, records: bytes | None, high_watermark: int) -> bytes:
    data = KafkaResponse.FetchableTopicResponse.PartitionData
    tagged: dict[str, Any] = {}
    if version >= 12:
        epochs = data.EpochEndOffset(version=version, epoch=7, end_offset=70)
        tagged["diverging_epoch"] = epochs
    partition = data(
        version=version,
        partition_index=9,
        error_code=6,
        high_watermark=high_watermark,
        last_stable_offset=18,
        log_start_offset=2,
        aborted_transactions=[
            data.AbortedTransaction(version=version, producer_id=1, first_offset=2)
        ],
        preferred_read_replica=-1,
        records=records,
        **tagged,
    )
    name = {"topic": "t"} if version < 13 else {"topic_id": TOPIC_ID}
    topic = KafkaResponse.FetchableTopicResponse(version=version, partitions=[partition], **name)
    top = {"error_code": 71, "session_id": 12} if version >= 7 else {}
    answer = KafkaResponse(version=version, throttle_time_ms=1, responses=[topic], **top)
    return bytes(answer.encode(version=version))


@pytest.mark.parametrize("version", KAFKA_PYTHON_VERSIONS)
def test_an_answer_written_by_kafka_python_is_read(version: int) -> None:
    records = batch(100, 5) + batch(105, 3)
    body = kafka_python_answer(version, records, high_watermark=19)

    answer = decode_fetch_response(reader(body, version), version)

    (partition,) = answer.partitions
    assert (answer.error, answer.session_id) == ((71, 12) if version >= 7 else (0, 0))
    assert (partition.topic, partition.topic_id) == (
        ("t", None) if version < 13 else (None, TOPIC_ID)
    )
    assert (partition.partition, partition.error, partition.high_watermark) == (9, 6, 19)
    assert (partition.last_stable_offset, partition.log_start_offset) == (
        18,
        known_to(version, 5, 2),
    )
    assert partition.diverging_epoch == (DivergingEpoch(7, 70) if version >= 12 else None)
    assert partition.record_bytes == len(records)
    assert (partition.first_offset, partition.last_offset) == (100, 107)


@pytest.mark.parametrize("version", KIO_VERSIONS)
def test_an_answer_written_by_kio_is_read(version: int) -> None:
    schema = importlib.import_module(f"kio.schema.fetch.v{version}.response")
    fields: dict[str, Any] = {
        "partition_index": 9,
        "error_code": ErrorCode(6),
        "high_watermark": 19,
        "records": None,
    }
    newer: tuple[tuple[int, str, Any], ...] = (
        (4, "last_stable_offset", 18),
        (4, "aborted_transactions", None),
        (5, "log_start_offset", 2),
    )
    fields |= {name: value for since, name, value in newer if version >= since}
    name = {"topic": "t"} if version < 13 else {"topic_id": TOPIC_ID}
    topic = schema.FetchableTopicResponse(**name, partitions=(schema.PartitionData(**fields),) * 2)
    top: dict[str, Any] = {"throttle_time": timedelta(milliseconds=1), "responses": (topic,)}
    if version >= 7:
        top |= {"error_code": ErrorCode(0), "session_id": 12}
    body = kio_write(schema.FetchResponse(**top))

    answer = decode_fetch_response(reader(body, version), version)

    first, second = answer.partitions
    assert first == second
    assert (first.partition, first.error, first.high_watermark) == (9, 6, 19)
    assert (first.record_bytes, first.first_offset, first.last_offset) == (0, None, None)
    assert first.diverging_epoch is None
    assert answer.session_id == known_to(version, 7, 12, 0)


@pytest.mark.parametrize("version", [4, 11, 12, 18])
def test_an_answer_cut_short_is_refused_at_any_length(version: int) -> None:
    body = kafka_python_answer(version, batch(0, 1), high_watermark=1)

    for length in range(len(body)):
        with pytest.raises(DecodeError):
            decode_fetch_response(reader(body[:length], version), version)


@pytest.mark.parametrize(
    ("records", "span"),
    [
        (b"", (None, None)),
        (batch(7, 1), (7, 7)),
        (batch(7, 4) + batch(11, 2)[:-1], (7, 10)),
        (message(3) + message(4, magic=0), (3, 4)),
        (bytes(40), (None, None)),
    ],
)
def test_the_span_of_records_is_read_from_the_outermost_entries(
    records: bytes, span: tuple[int | None, int | None]
) -> None:
    assert record_span(memoryview(records)) == span
