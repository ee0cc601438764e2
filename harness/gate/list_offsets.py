"""ListOffsets (api 2): requests and answers of versions 0 and 1, and who asks in any version.

Asked with replica id -2, a replica answers with its own log end offset whether or not it leads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from highwater.harness.gate.primitives import DecodeError, Reader, Writer

LATEST = -1
EARLIEST = -2
DEBUGGING_REPLICA = -2


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


@dataclass(frozen=True, slots=True)
class ListedOffset:
    """Version 0 lists offsets downwards, so the first is the one asked for."""

    topic: str
    partition: int
    error: int
    timestamp: int
    offsets: tuple[int, ...]


def _write_topic(writer: Writer, version: int, asked: AskedOffset) -> None:
    writer.nullable_string(asked.topic)
    writer.array((asked,), partial(_write_partition, writer, version))


def _write_partition(writer: Writer, version: int, asked: AskedOffset) -> None:
    writer.int32(asked.partition)
    writer.int64(asked.timestamp)
    if version == 0:
        writer.int32(1)  # how many offsets at most


def encode_list_offsets_request(request: ListOffsetsRequest, version: int) -> bytes:
    if version not in {0, 1}:
        raise ValueError(f"ListOffsets version {version} is not 0 or 1")
    writer = Writer(flexible=False)
    writer.int32(request.replica_id)
    writer.array(request.partitions, partial(_write_topic, writer, version))
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
    if version >= 2:
        reader.int8()  # isolation level
    topics = reader.array(partial(_read_asked_topic, reader, version))
    return ListOffsetsRequest(replica_id, tuple(one for topic in topics for one in topic))


def _read_listed(reader: Reader, version: int, topic: str) -> ListedOffset:
    partition, error = reader.int32(), reader.int16()
    if version == 0:
        return ListedOffset(topic, partition, error, -1, reader.array(reader.int64))
    timestamp = reader.int64()
    return ListedOffset(topic, partition, error, timestamp, (reader.int64(),))


def _read_listed_topic(reader: Reader, version: int) -> tuple[ListedOffset, ...]:
    topic = reader.string()
    return reader.array(partial(_read_listed, reader, version, topic))


def decode_list_offsets_response(reader: Reader, version: int) -> tuple[ListedOffset, ...]:
    if version not in {0, 1}:
        raise DecodeError(f"ListOffsets version {version} is not 0 or 1")
    topics = reader.array(partial(_read_listed_topic, reader, version))
    return tuple(one for topic in topics for one in topic)
