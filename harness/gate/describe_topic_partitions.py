"""DescribeTopicPartitions (api 75): what Metadata tells, and who else may be elected (KIP-966)."""

from __future__ import annotations

import struct
from functools import partial

from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.gate.primitives import Reader, Writer

DESCRIBE_VERSION = 0
_HEAD = struct.Struct(">hiii")  # error, partition, leader, its epoch
_MOST_PARTITIONS = 2000  # what a broker answers at most by default
_NO_CURSOR, _CURSOR = -1, 1


def encode_describe_request(topic: str, first: int = 0) -> bytes:
    """Asks for the partitions of a topic from number `first` on."""
    writer = Writer(flexible=True)
    writer.array((topic,), partial(_write_topic, writer))
    writer.int32(_MOST_PARTITIONS)
    if first:
        writer.int8(_CURSOR)
        writer.nullable_string(topic)
        writer.int32(first)
        writer.tags()
    else:
        writer.int8(_NO_CURSOR)
    writer.tags()
    return bytes(writer.buffer)


def decode_describe_response(reader: Reader) -> tuple[tuple[KnownPartition, ...], int | None]:
    """Partitions of the one topic asked for, and the first one left for another answer, if any.

    There are none where the broker does not know the topic.
    """
    reader.int32()  # throttle time
    topics = reader.array(partial(_read_topic, reader))
    partitions = tuple(each for several in topics for each in several)
    if reader.int8() == _NO_CURSOR:
        return partitions, None
    reader.nullable_string()  # the topic
    return partitions, reader.int32()


def _write_topic(writer: Writer, topic: str) -> None:
    writer.nullable_string(topic)
    writer.tags()


def _read_topic(reader: Reader) -> tuple[KnownPartition, ...]:
    reader.int16()  # error
    topic = reader.nullable_string() or ""
    reader.uuid()
    reader.boolean()  # internal
    partitions = reader.array(partial(_read_partition, reader, topic))
    reader.int32()  # authorized operations
    reader.tags()
    return partitions


def _read_partition(reader: Reader, topic: str) -> KnownPartition:
    error, partition, leader, leader_epoch = reader.numbers(_HEAD)
    replicas, isr, elr = reader.int32s(), reader.int32s(), reader.int32s()
    reader.int32s()  # the last known eligible leader
    reader.int32s()  # offline replicas
    reader.tags()
    return KnownPartition(topic, partition, error, leader, leader_epoch, replicas, isr, elr)
