"""OffsetsForLeaderEpoch (api 23) requests, versions 0 to 4: a follower asks where to truncate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from highwater.harness.gate.primitives import DecodeError, Reader

NEWEST = 4


@dataclass(frozen=True, slots=True)
class AskedEpoch:
    topic: str
    partition: int
    current_leader_epoch: int
    leader_epoch: int


@dataclass(frozen=True, slots=True)
class LeaderEpochsRequest:
    """`replica_id` is -2 before version 3, which does not carry it."""

    replica_id: int
    partitions: tuple[AskedEpoch, ...]


def _read_asked(reader: Reader, version: int, topic: str) -> AskedEpoch:
    partition = reader.int32()
    current_leader_epoch = reader.int32() if version >= 2 else -1
    asked = AskedEpoch(topic, partition, current_leader_epoch, reader.int32())
    reader.tags()
    return asked


def _read_topic(reader: Reader, version: int) -> tuple[AskedEpoch, ...]:
    topic = reader.string()
    asked = reader.array(partial(_read_asked, reader, version, topic))
    reader.tags()
    return asked


def decode_leader_epochs_request(reader: Reader, version: int) -> LeaderEpochsRequest:
    """Reads a body; raises DecodeError for a version above 4."""
    if not 0 <= version <= NEWEST:
        raise DecodeError(f"OffsetsForLeaderEpoch version {version} is not between 0 and {NEWEST}")
    replica_id = reader.int32() if version >= 3 else -2
    topics = reader.array(partial(_read_topic, reader, version))
    return LeaderEpochsRequest(replica_id, tuple(one for topic in topics for one in topic))
