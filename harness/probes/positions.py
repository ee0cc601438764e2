"""Positions of groups: asked of their coordinator, committed by hand, and as their log has them."""

from __future__ import annotations

from typing import NamedTuple

from highwater.harness.gate.headers import OFFSET_COMMIT, OFFSET_FETCH
from highwater.harness.gate.offset_commit import (
    KEPT_AS_EVER_MS,
    OFFSET_COMMIT_VERSION,
    Member,
    decode_offset_commit_response,
    encode_offset_commit_request,
)
from highwater.harness.gate.offset_fetch import (
    OFFSET_FETCH_VERSION,
    STABLE_FETCH_VERSION,
    decode_offset_fetch_response,
    encode_offset_fetch_request,
)
from highwater.harness.gate.primitives import DecodeError, Reader
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire

OF_POSITIONS = {0, 1}  # versions of keys of __consumer_offsets that are of a position


class Committed(NamedTuple):
    """Which position of which group in which partition a record of __consumer_offsets is."""

    group: str
    topic: str
    partition: int
    offset: int


def group_position(
    wire: Wire, group: str, where: TopicPartition, *, is_stable: bool = False
) -> int | None:
    """What a group has committed, as its coordinator has it; None for nothing.

    Raises OSError, and AnswerError where the broker does not coordinate the group, or not yet; with
    `is_stable` also where a transaction is open in which it has committed (2.5 on).
    """
    version = STABLE_FETCH_VERSION if is_stable else OFFSET_FETCH_VERSION
    body = encode_offset_fetch_request(group, where, version)
    offset, error = decode_offset_fetch_response(wire.ask(OFFSET_FETCH, version, body), version)
    if error:
        raise AnswerError(f"the position of {group} in {where}", error)
    return None if offset < 0 else offset


def commit_position(
    wire: Wire, group: str, where: TopicPartition, offset: int, *, kept_s: int
) -> None:
    """Of a group without members, whose coordinator is asked; to be kept so long.

    Raises OSError, and AnswerError for what is refused.
    """
    _commit(wire, encode_offset_commit_request(group, where, offset, kept_s * 1000), group)


def commit_as_member(
    wire: Wire, group: str, where: TopicPartition, offset: int, member: Member
) -> None:
    """The same of a member, which its coordinator knows or refuses."""
    _commit(
        wire, encode_offset_commit_request(group, where, offset, KEPT_AS_EVER_MS, member), group
    )


def _commit(wire: Wire, body: bytes, group: str) -> None:
    error = decode_offset_commit_response(wire.ask(OFFSET_COMMIT, OFFSET_COMMIT_VERSION, body))
    if error:
        raise AnswerError(f"committing a position of {group}", error)


def committed_in(key: bytes | None, value: bytes | None) -> Committed | None:
    """What a record of __consumer_offsets says; None where it takes a position back, or is of else.

    Raises DecodeError for one that is damaged.
    """
    if key is None:
        raise DecodeError("it has no key")
    read = Reader(key, 0, flexible=False)
    version = read.int16()
    if version < 0:
        raise DecodeError(f"its key is of version {version}")
    if version not in OF_POSITIONS or value is None:
        return None
    group, topic, partition = read.string(), read.string(), read.int32()
    told = Reader(value, 0, flexible=False)
    told.int16()  # version: in each of them the position comes next
    return Committed(group, topic, partition, told.int64())
