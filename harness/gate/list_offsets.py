"""ListOffsets (api 2): requests and answers of versions 0 to 2, and who asks in any version.

Asked with replica id -2, a replica answers with its own log end offset whether or not it leads.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from highwater.harness.gate.primitives import DecodeError, Reader, Writer, grouped

LATEST = -1
EARLIEST = -2
DEBUGGING_REPLICA = -2
STABLE_VERSION = 2  # the first one that tells last stable offsets
_ASKED = struct.Struct(">iq")
_LISTED = struct.Struct(">ihqq")  # partition, error, timestamp, offset
VERSIONS = frozenset({0, 1, STABLE_VERSION})


@dataclass(frozen=True, slots=True)
class AskedOffset:
    """`timestamp` is LATEST, EARLIEST or milliseconds since 1970."""

    topic: str
    partition: int
    timestamp: int = LATEST


@dataclass(frozen=True, slots=True)
class ListOffsetsRequest:
    replica_id: int
    partitions: tuple[AskedOffset, ...]
    committed_only: bool = False  # isolation.level=read_committed: LATEST is the last stable offset


@dataclass(frozen=True, slots=True)
class ListedOffset:
    """Version 0 lists offsets downwards, so the first is the one asked for."""

    topic: str
    partition: int
    error: int
    timestamp: int
    offsets: tuple[int, ...]


def _write_topic(writer: Writer, version: int, of_topic: tuple[str, Sequence[AskedOffset]]) -> None:
    topic, asked = of_topic
    writer.nullable_string(topic)
    writer.array(asked, partial(_write_partition, writer, version))


def _write_partition(writer: Writer, version: int, asked: AskedOffset) -> None:
    writer.numbers(_ASKED, asked.partition, asked.timestamp)
    if version == 0:
        writer.int32(1)  # how many offsets at most


def encode_list_offsets_request(request: ListOffsetsRequest, version: int) -> bytes:
    if version not in VERSIONS:
        raise ValueError(f"ListOffsets version {version} is not 0, 1 or 2")
    if request.committed_only and version < STABLE_VERSION:
        raise ValueError(f"ListOffsets version {version} knows no last stable offset")
    writer = Writer(flexible=False)
    writer.int32(request.replica_id)
    if version >= STABLE_VERSION:
        writer.int8(int(request.committed_only))
    topics = grouped(request.partitions, attrgetter("topic"))
    writer.array(topics, partial(_write_topic, writer, version))
    return bytes(writer.buffer)


def _read_asked(reader: Reader, version: int, topic: str) -> AskedOffset:
    partition = reader.int32()
    if version >= 4:
        reader.int32()  # current leader epoch
    timestamp = reader.int64()
    if version == 0:
        reader.int32()
    reader.tags()
    return AskedOffset(topic, partition, timestamp)


def _read_asked_topic(reader: Reader, version: int) -> tuple[AskedOffset, ...]:
    topic = reader.string()
    asked = reader.array(partial(_read_asked, reader, version, topic))
    reader.tags()
    return asked


def decode_list_offsets_request(reader: Reader, version: int) -> ListOffsetsRequest:
    """Reads any version so far (0 to 11)."""
    replica_id = reader.int32()
    committed_only = version >= STABLE_VERSION and bool(reader.int8())
    topics = reader.array(partial(_read_asked_topic, reader, version))
    asked = tuple(one for topic in topics for one in topic)
    return ListOffsetsRequest(replica_id, asked, committed_only)


def _read_listed(reader: Reader, version: int, topic: str) -> ListedOffset:
    if version == 0:
        partition, error = reader.int32(), reader.int16()
        return ListedOffset(topic, partition, error, -1, reader.array(reader.int64))
    partition, error, timestamp, offset = reader.numbers(_LISTED)
    return ListedOffset(topic, partition, error, timestamp, (offset,))


def _read_listed_topic(reader: Reader, version: int) -> tuple[ListedOffset, ...]:
    topic = reader.string()
    return reader.array(partial(_read_listed, reader, version, topic))


def decode_list_offsets_response(reader: Reader, version: int) -> tuple[ListedOffset, ...]:
    if version not in VERSIONS:
        raise DecodeError(f"ListOffsets version {version} is not 0, 1 or 2")
    if version >= STABLE_VERSION:
        reader.int32()  # how long it was throttled
    topics = reader.array(partial(_read_listed_topic, reader, version))
    return tuple(one for topic in topics for one in topic)
