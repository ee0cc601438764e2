"""Metadata (api 3): requests and answers of versions 1 to 8, for probes that ask one broker."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial

from highwater.harness.gate.primitives import DecodeError, Reader, Writer

OLDEST = 1
NEWEST = 8
_HEAD = struct.Struct(">hii")  # error, partition, leader


@dataclass(frozen=True, slots=True)
class KnownBroker:
    broker_id: int
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class KnownPartition:
    """`leader` is -1 while there is none; `leader_epoch` is -1 before version 7.

    `elr` is told by DescribeTopicPartitions only.
    """

    topic: str
    partition: int
    error: int
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Metadata:
    """`topic_errors` names the topics that were answered with an error code."""

    brokers: tuple[KnownBroker, ...]
    controller_id: int
    partitions: tuple[KnownPartition, ...]
    topic_errors: dict[str, int]


def _require_known(version: int) -> None:
    if not OLDEST <= version <= NEWEST:
        raise DecodeError(f"Metadata version {version} is not between {OLDEST} and {NEWEST}")


def encode_metadata_request(topics: tuple[str, ...] | None, version: int) -> bytes:
    """None asks for all topics; creates none from version 4 on (before, the broker decides)."""
    _require_known(version)
    writer = Writer(flexible=False)
    writer.array(topics, writer.nullable_string)
    if version >= 4:
        writer.boolean(False)
    if version >= 8:
        writer.boolean(False)
        writer.boolean(False)
    return bytes(writer.buffer)


def _read_broker(reader: Reader) -> KnownBroker:
    broker = KnownBroker(reader.int32(), reader.string(), reader.int32())
    reader.nullable_string()  # rack
    return broker


def _read_partition(reader: Reader, version: int, topic: str) -> KnownPartition:
    error, partition, leader = reader.numbers(_HEAD)
    leader_epoch = reader.int32() if version >= 7 else -1
    replicas, isr = reader.int32s(), reader.int32s()
    if version >= 5:
        reader.int32s()  # offline replicas
    return KnownPartition(topic, partition, error, leader, leader_epoch, replicas, isr)


def _read_topic(reader: Reader, version: int) -> tuple[str, int, tuple[KnownPartition, ...]]:
    error, topic = reader.int16(), reader.string()
    reader.boolean()  # internal
    partitions = reader.array(partial(_read_partition, reader, version, topic))
    if version >= 8:
        reader.int32()  # authorized operations
    return topic, error, partitions


def decode_metadata_response(reader: Reader, version: int) -> Metadata:
    """Reads a body; raises DecodeError for a version outside 1 to 8."""
    _require_known(version)
    if version >= 3:
        reader.int32()  # throttle time
    brokers = reader.array(partial(_read_broker, reader))
    if version >= 2:
        reader.nullable_string()  # cluster id
    controller_id = reader.int32()
    topics = reader.array(partial(_read_topic, reader, version))
    return Metadata(
        brokers=brokers,
        controller_id=controller_id,
        partitions=tuple(one for _, _, partitions in topics for one in partitions),
        topic_errors={topic: error for topic, error, _ in topics if error},
    )
