"""OffsetFetch (api 9): what a group has committed, as its coordinator tells it."""

from __future__ import annotations

from functools import partial

from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition

OFFSET_FETCH_VERSION = 1  # every release from 0.8.2 to 4.x answers it
UNTOLD = (-1, -1)  # UNKNOWN_SERVER_ERROR


def encode_offset_fetch_request(group: str, where: TopicPartition) -> bytes:
    """Asks for the position of a group in one partition."""
    writer = Writer(flexible=False)
    writer.nullable_string(group)
    writer.array((where,), partial(_write_topic, writer))
    return bytes(writer.buffer)


def decode_offset_fetch_response(reader: Reader) -> tuple[int, int]:
    """The offset, -1 for none, and the error code.

    Who is no coordinator says so of the partition; 3.9.1 was seen to answer with no partition.
    """
    topics = reader.array(partial(_read_topic, reader))
    return topics[0][0] if topics else UNTOLD


def _write_topic(writer: Writer, where: TopicPartition) -> None:
    writer.nullable_string(where.topic)
    writer.array((where.partition,), writer.int32)


def _read_topic(reader: Reader) -> tuple[tuple[int, int], ...]:
    reader.nullable_string()  # the topic
    return reader.array(partial(_read_partition, reader))


def _read_partition(reader: Reader) -> tuple[int, int]:
    reader.int32()  # the partition
    offset = reader.int64()
    reader.nullable_string()  # what was committed beside it
    return offset, reader.int16()
