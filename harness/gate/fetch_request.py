"""Fetch requests (api 1), versions 2 to 18: who fetches what from which offset."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from highwater.harness.gate.primitives import DecodeError, Reader, Writer, grouped

OLDEST = 2
NEWEST = 18
_FLEXIBLE = 12
_TOPIC_IDS = 13
_REPLICA_STATE = 15
_REPLICA_STATE_TAG = 1
_HIGH_WATERMARK_TAG = 1
NO_HIGH_WATERMARK = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class FetchedPartition:
    """`topic` is None from version 13 on, `topic_id` before; -1 means "not in this version"."""

    topic: str | None
    topic_id: uuid.UUID | None
    partition: int
    fetch_offset: int
    max_bytes: int = 1 << 20
    current_leader_epoch: int = -1
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    high_watermark: int = NO_HIGH_WATERMARK


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """A consumer has replica id -1, a debugging consumer -2 (it may read above the watermark)."""

    replica_id: int
    partitions: tuple[FetchedPartition, ...]
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = (1 << 31) - 1
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    rack_id: str = ""


def require_known(version: int) -> None:
    if not OLDEST <= version <= NEWEST:
        raise DecodeError(f"Fetch version {version} is not between {OLDEST} and {NEWEST}")


def read_topic(reader: Reader, version: int) -> tuple[str | None, uuid.UUID | None]:
    if version >= _TOPIC_IDS:
        return None, reader.uuid()
    return reader.string(), None


def _read_partition(
    reader: Reader, version: int, topic: tuple[str | None, uuid.UUID | None]
) -> FetchedPartition:
    partition = reader.int32()
    current_leader_epoch = reader.int32() if version >= 9 else -1
    fetch_offset = reader.int64()
    last_fetched_epoch = reader.int32() if version >= _FLEXIBLE else -1
    log_start_offset = reader.int64() if version >= 5 else -1
    max_bytes = reader.int32()
    mark = reader.tags().get(_HIGH_WATERMARK_TAG)
    return FetchedPartition(
        topic=topic[0],
        topic_id=topic[1],
        partition=partition,
        fetch_offset=fetch_offset,
        max_bytes=max_bytes,
        current_leader_epoch=current_leader_epoch,
        last_fetched_epoch=last_fetched_epoch,
        log_start_offset=log_start_offset,
        high_watermark=Reader(mark, 0, flexible=True).int64() if mark else NO_HIGH_WATERMARK,
    )


def _read_topic_partitions(reader: Reader, version: int) -> tuple[FetchedPartition, ...]:
    topic = read_topic(reader, version)
    partitions = reader.array(partial(_read_partition, reader, version, topic))
    reader.tags()
    return partitions


def _skip_forgotten(reader: Reader, version: int) -> None:
    read_topic(reader, version)
    reader.array(reader.int32)
    reader.tags()


def decode_fetch_request(reader: Reader, version: int) -> FetchRequest:
    """Reads a body; raises DecodeError for a version outside 2 to 18."""
    require_known(version)
    replica_id = reader.int32() if version < _REPLICA_STATE else -1
    max_wait_ms = reader.int32()
    min_bytes = reader.int32()
    max_bytes = reader.int32() if version >= 3 else -1
    isolation_level = reader.int8() if version >= 4 else 0
    session_id, session_epoch = (reader.int32(), reader.int32()) if version >= 7 else (0, -1)
    topics = reader.array(partial(_read_topic_partitions, reader, version))
    if version >= 7:
        reader.array(partial(_skip_forgotten, reader, version))
    rack_id = reader.string() if version >= 11 else ""
    state = reader.tags().get(_REPLICA_STATE_TAG)
    if state is not None and version >= _REPLICA_STATE:
        replica_id = Reader(state, 0, flexible=True).int32()
    return FetchRequest(
        replica_id=replica_id,
        partitions=tuple(one for topic in topics for one in topic),
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        rack_id=rack_id,
    )


def _write_partition(writer: Writer, version: int, fetched: FetchedPartition) -> None:
    writer.int32(fetched.partition)
    if version >= 9:
        writer.int32(fetched.current_leader_epoch)
    writer.int64(fetched.fetch_offset)
    if version >= _FLEXIBLE:
        writer.int32(fetched.last_fetched_epoch)
    if version >= 5:
        writer.int64(fetched.log_start_offset)
    writer.int32(fetched.max_bytes)
    if version >= _FLEXIBLE:
        told = version >= 18 and fetched.high_watermark != NO_HIGH_WATERMARK
        mark = fetched.high_watermark.to_bytes(8, "big", signed=True)
        writer.tags({_HIGH_WATERMARK_TAG: mark} if told else {})


def _write_topic(
    writer: Writer,
    version: int,
    of_topic: tuple[tuple[str | None, uuid.UUID | None], Sequence[FetchedPartition]],
) -> None:
    (topic, topic_id), fetched = of_topic
    if version >= _TOPIC_IDS:
        writer.uuid(topic_id or uuid.UUID(int=0))
    else:
        writer.nullable_string(topic)
    writer.array(fetched, partial(_write_partition, writer, version))
    writer.tags()


def _write_limits(writer: Writer, version: int, request: FetchRequest) -> None:
    writer.int32(request.max_wait_ms)
    writer.int32(request.min_bytes)
    if version >= 3:
        writer.int32(request.max_bytes)
    if version >= 4:
        writer.int8(request.isolation_level)
    if version >= 7:
        writer.int32(request.session_id)
        writer.int32(request.session_epoch)


def encode_fetch_request(request: FetchRequest, version: int) -> bytes:
    """Writes a body in which all partitions of a topic stand under one topic entry."""
    require_known(version)
    writer = Writer(flexible=version >= _FLEXIBLE)
    if version < _REPLICA_STATE:
        writer.int32(request.replica_id)
    _write_limits(writer, version, request)
    topics = grouped(request.partitions, attrgetter("topic", "topic_id"))
    writer.array(topics, partial(_write_topic, writer, version))
    if version >= 7:
        writer.array((), writer.int32)
    if version >= 11:
        writer.nullable_string(request.rack_id)
    state = request.replica_id.to_bytes(4, "big", signed=True) + b"\xff" * 8 + b"\0"
    writer.tags({_REPLICA_STATE_TAG: state} if version >= _REPLICA_STATE else {})
    return bytes(writer.buffer)
