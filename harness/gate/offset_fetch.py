"""OffsetFetch (api 9): what a group has committed, as its coordinator tells it."""

from __future__ import annotations

from functools import partial

from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition

OFFSET_FETCH_VERSION = 1  # every release from 0.8.2 to 4.x answers it
STABLE_FETCH_VERSION = 7  # the first that waits for transactions, since 2.5 (KIP-447)
UNTOLD = (-1, -1)  # UNKNOWN_SERVER_ERROR


def encode_offset_fetch_request(
    group: str, where: TopicPartition, version: int = OFFSET_FETCH_VERSION
) -> bytes:
    """Asks for the position of a group in one partition.

    In STABLE_FETCH_VERSION one that no open transaction can change.
    """
    is_stable = version == STABLE_FETCH_VERSION
    writer = Writer(flexible=is_stable)
    writer.nullable_string(group)
    writer.array((where,), partial(_write_topic, writer))
    if is_stable:
        writer.boolean(is_stable)
    writer.tags()
    return bytes(writer.buffer)


def decode_offset_fetch_response(
    reader: Reader, version: int = OFFSET_FETCH_VERSION
) -> tuple[int, int]:
    """The offset, -1 for none, and the error code.

    Who is no coordinator says so of the partition; 3.9.1 was seen to answer with no partition.
    """
    if version != STABLE_FETCH_VERSION:
        topics = reader.array(partial(_read_topic, reader, has_epoch=False))
        return topics[0][0] if topics else UNTOLD
    reader.int32()  # throttle time
    topics = reader.array(partial(_read_topic, reader, has_epoch=True))
    code = reader.int16()
    reader.tags()
    return (-1, code) if code else topics[0][0] if topics else UNTOLD


def _write_topic(writer: Writer, where: TopicPartition) -> None:
    writer.nullable_string(where.topic)
    writer.array((where.partition,), writer.int32)
    writer.tags()


def _read_topic(reader: Reader, *, has_epoch: bool) -> tuple[tuple[int, int], ...]:
    reader.nullable_string()  # the topic
    partitions = reader.array(partial(_read_partition, reader, has_epoch=has_epoch))
    reader.tags()
    return partitions


def _read_partition(reader: Reader, *, has_epoch: bool) -> tuple[int, int]:
    reader.int32()  # the partition
    offset = reader.int64()
    if has_epoch:
        reader.int32()
    reader.nullable_string()  # what was committed beside it
    code = reader.int16()
    reader.tags()
    return offset, code
