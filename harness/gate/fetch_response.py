"""Fetch answers (api 1), versions 2 to 18: watermarks, and how much record data came along."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass, field
from functools import partial

from highwater.harness.gate.batch_header import MAGIC, MAGIC_AT
from highwater.harness.gate.fetch_request import read_topic, require_known
from highwater.harness.gate.primitives import Reader

_DIVERGING_EPOCH_TAG = 0
_LAST_OFFSET_DELTA_AT = 23
_ENTRY = struct.Struct(">qi")
_HEAD = struct.Struct(">ihq")  # partition, error, high watermark
_DELTA = struct.Struct(">i")


@dataclass(frozen=True, slots=True)
class DivergingEpoch:
    """The largest epoch, and its end offset, below which the follower's log may still agree."""

    epoch: int
    end_offset: int


@dataclass(frozen=True, slots=True)
class AnsweredPartition:
    """Offsets are those of the outermost entries: of a compressed magic 1 wrapper, the last one."""

    topic: str | None
    topic_id: uuid.UUID | None
    partition: int
    error: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    diverging_epoch: DivergingEpoch | None
    record_bytes: int
    first_offset: int | None
    last_offset: int | None
    records: memoryview = field(default=memoryview(b""), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """`error` and `session_id` are 0 before version 7."""

    error: int
    session_id: int
    partitions: tuple[AnsweredPartition, ...]


def record_span(records: memoryview) -> tuple[int | None, int | None]:
    """First and last offset in a run of batches or message-set entries, a cut-off tail ignored."""
    first = last = None
    position = 0
    while position + _ENTRY.size + 5 <= len(records):
        offset, size = _ENTRY.unpack_from(records, position)
        end = position + _ENTRY.size + size
        if size <= 0 or end > len(records):
            break
        first = offset if first is None else first
        last = offset
        if records[position + MAGIC_AT] >= MAGIC and size > _LAST_OFFSET_DELTA_AT:
            last += _DELTA.unpack_from(records, position + _LAST_OFFSET_DELTA_AT)[0]
        position = end
    return first, last


def _skip_aborted(reader: Reader) -> None:
    reader.take(16)
    reader.tags()


def _read_diverging(tags: dict[int, memoryview]) -> DivergingEpoch | None:
    raw = tags.get(_DIVERGING_EPOCH_TAG)
    if raw is None:
        return None
    reader = Reader(raw, 0, flexible=True)
    diverging = DivergingEpoch(reader.int32(), reader.int64())
    return None if diverging.epoch < 0 and diverging.end_offset < 0 else diverging


def _read_partition(
    reader: Reader, version: int, topic: tuple[str | None, uuid.UUID | None]
) -> AnsweredPartition:
    partition, error, high_watermark = reader.numbers(_HEAD)
    last_stable_offset = reader.int64() if version >= 4 else -1
    log_start_offset = reader.int64() if version >= 5 else -1
    if version >= 4:
        reader.array(partial(_skip_aborted, reader))
    if version >= 11:
        reader.int32()  # preferred read replica
    records = reader.nullable_bytes() or memoryview(b"")
    first_offset, last_offset = record_span(records)
    return AnsweredPartition(
        topic=topic[0],
        topic_id=topic[1],
        partition=partition,
        error=error,
        high_watermark=high_watermark,
        last_stable_offset=last_stable_offset,
        log_start_offset=log_start_offset,
        diverging_epoch=_read_diverging(reader.tags()),
        record_bytes=len(records),
        first_offset=first_offset,
        last_offset=last_offset,
        records=records,
    )


def _read_topic_partitions(reader: Reader, version: int) -> tuple[AnsweredPartition, ...]:
    topic = read_topic(reader, version)
    partitions = reader.array(partial(_read_partition, reader, version, topic))
    reader.tags()
    return partitions


def decode_fetch_response(reader: Reader, version: int) -> FetchResponse:
    """Reads a body; raises DecodeError for a version outside 2 to 18."""
    require_known(version)
    reader.int32()  # throttle time
    error, session_id = (reader.int16(), reader.int32()) if version >= 7 else (0, 0)
    topics = reader.array(partial(_read_topic_partitions, reader, version))
    reader.tags()
    return FetchResponse(error, session_id, tuple(one for topic in topics for one in topic))
