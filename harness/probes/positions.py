"""Positions of groups, asked of their coordinator, and committed by somebody who is no member."""

from __future__ import annotations

from highwater.harness.gate.headers import OFFSET_COMMIT, OFFSET_FETCH
from highwater.harness.gate.offset_commit import (
    OFFSET_COMMIT_VERSION,
    decode_offset_commit_response,
    encode_offset_commit_request,
)
from highwater.harness.gate.offset_fetch import (
    OFFSET_FETCH_VERSION,
    decode_offset_fetch_response,
    encode_offset_fetch_request,
)
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire


def group_position(wire: Wire, group: str, where: TopicPartition) -> int | None:
    """What a group has committed, as its coordinator has it; None for nothing.

    Raises OSError, and AnswerError where the broker does not coordinate the group, or not yet.
    """
    answer = wire.ask(OFFSET_FETCH, OFFSET_FETCH_VERSION, encode_offset_fetch_request(group, where))
    offset, error = decode_offset_fetch_response(answer)
    if error:
        raise AnswerError(f"the position of {group} in {where}", error)
    return None if offset < 0 else offset


def commit_position(
    wire: Wire, group: str, where: TopicPartition, offset: int, *, kept_s: int
) -> None:
    """Of a group without members, whose coordinator is asked; to be kept so long.

    Raises OSError, and AnswerError for what is refused.
    """
    body = encode_offset_commit_request(group, where, offset, kept_s * 1000)
    answer = wire.ask(OFFSET_COMMIT, OFFSET_COMMIT_VERSION, body)
    error = decode_offset_commit_response(answer)
    if error:
        raise AnswerError(f"committing a position of {group} in {where}", error)
