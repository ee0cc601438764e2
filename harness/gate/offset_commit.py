"""OffsetCommit (api 8): a position that is committed by hand, to be kept for a time of its own."""

from __future__ import annotations

from functools import partial

from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition

OFFSET_COMMIT_VERSION = 2  # the first with a time, and every release from 0.9 to 4.x answers it
Member = tuple[int, str]  # of which generation, and its name
NOBODY: Member = (-1, "")  # whoever commits so is no member, and the group must have none
KEPT_AS_EVER_MS = -1  # as long as the broker has it


def encode_offset_commit_request(
    group: str, where: TopicPartition, offset: int, kept_ms: int, member: Member = NOBODY
) -> bytes:
    generation, name = member
    writer = Writer(flexible=False)
    writer.nullable_string(group)
    writer.int32(generation)
    writer.nullable_string(name)
    writer.int64(kept_ms)
    writer.array((where,), partial(_write_topic, writer, offset))
    return bytes(writer.buffer)


def decode_offset_commit_response(reader: Reader) -> int:
    """The error code of the one partition."""
    (code,) = (each for codes in reader.array(partial(_read_topic, reader)) for each in codes)
    return code


def _write_topic(writer: Writer, offset: int, where: TopicPartition) -> None:
    def partition(number: int) -> None:
        writer.int32(number)
        writer.int64(offset)
        writer.nullable_string("")

    writer.nullable_string(where.topic)
    writer.array((where.partition,), partition)


def _read_topic(reader: Reader) -> tuple[int, ...]:
    reader.nullable_string()

    def partition() -> int:
        reader.int32()
        return reader.int16()

    return reader.array(partition)
