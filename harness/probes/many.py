"""Questions about many replicas at once, and what is read from their answers."""

from __future__ import annotations

from collections.abc import Mapping

from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.fetch_response import decode_fetch_response
from highwater.harness.gate.list_offsets import (
    AskedOffset,
    ListOffsetsRequest,
    decode_list_offsets_response,
    encode_list_offsets_request,
)
from highwater.harness.gate.primitives import Reader
from highwater.harness.model import ReplicaState, TopicPartition

CONSUMER = -1
OFFSET_OUT_OF_RANGE = 1

Key = tuple[str, int]  # a partition, as brokers name it
Wheres = tuple[TopicPartition, ...]


def key(where: TopicPartition) -> Key:
    return where.topic, where.partition


def told(offsets: Mapping[Key, int], wheres: Wheres) -> Wheres:
    """Those of these partitions that have one."""
    return tuple(where for where in wheres if key(where) in offsets)


def replica_states(
    offsets: tuple[Mapping[Key, int], Mapping[Key, int], Mapping[Key, int]],
    broker: int,
    wheres: Wheres,
) -> tuple[ReplicaState, ...]:
    ends, marks, stable = offsets
    return tuple(
        ReplicaState(broker, ends.get(named), marks.get(named), stable.get(named))
        for named in map(key, wheres)
    )


def offsets_question(replica_id: int, timestamp: int, version: int, wheres: Wheres) -> bytes:
    """A consumer asks for what is committed, and of a leader only."""
    asked = tuple(AskedOffset(where.topic, where.partition, timestamp) for where in wheres)
    request = ListOffsetsRequest(replica_id, asked, committed_only=replica_id == CONSUMER)
    return encode_list_offsets_request(request, version)


def fetch_question(
    version: int, replica_id: int, offsets: tuple[int, ...], wheres: Wheres
) -> bytes:
    asked = tuple(
        FetchedPartition(where.topic, None, where.partition, offset, max_bytes=1)
        for where, offset in zip(wheres, offsets, strict=True)
    )
    return encode_fetch_request(FetchRequest(replica_id, asked), version)


def listings(answer: Reader, version: int) -> dict[Key, int]:
    return {
        (one.topic, one.partition): one.offsets[0]
        for one in decode_list_offsets_response(answer, version)
        if not one.error and one.offsets
    }


def marks_in(answer: Reader, version: int) -> tuple[dict[Key, int], frozenset[Key]]:
    """High watermarks, and who has been asked for an offset that its log has not."""
    answered = decode_fetch_response(answer, version).partitions
    named = [((str(one.topic), one.partition), one) for one in answered]
    beyond = frozenset(each for each, one in named if one.error == OFFSET_OUT_OF_RANGE)
    return {each: one.high_watermark for each, one in named if not one.error}, beyond
