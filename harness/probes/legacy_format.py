"""Messages of magic 0 and 1, plain or inside a compressed wrapper."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from highwater.harness.probes.compression import codec_name, decompress
from highwater.harness.probes.segments import ENTRY_HEADER

_HEADER = struct.Struct(">qiIbb")  # offset, size, CRC, magic, attributes
_TIMESTAMP = struct.Struct(">q")
_LENGTH = struct.Struct(">i")
_CRC_COVERS_FROM = 16
_LOG_APPEND_TIME = 0x08


@dataclass(frozen=True, slots=True)
class Message:
    """One message; with a wrong CRC only offset, magic and codec are filled."""

    offset: int
    magic: int
    codec: str
    crc_ok: bool
    is_log_append_time: bool = False
    timestamp_ms: int | None = None
    key: bytes | None = None
    value: bytes | None = None


def read_message(data: memoryview) -> Message:
    """`data` is one whole entry. Raises ValueError when its CRC holds but its fields do not."""
    offset, _, crc, magic, attributes = _HEADER.unpack_from(data)
    message = Message(offset, magic, codec_name(attributes), crc == _checksum(data))
    if not message.crc_ok:
        return message
    at = _HEADER.size
    timestamp_ms = None
    if magic == 1:
        timestamp_ms = _timestamp(data, at)
        at += _TIMESTAMP.size
    key, at = _sized(data, at)
    value, at = _sized(data, at)
    return replace(
        message,
        is_log_append_time=magic == 1 and bool(attributes & _LOG_APPEND_TIME),
        timestamp_ms=timestamp_ms,
        key=key,
        value=value,
    )


def inner_messages(wrapper: Message) -> list[Message]:
    """The messages of a compressed wrapper, with absolute offsets and the timestamps that count.

    Magic 1 (KIP-31): the wrapper has the offset of its last message, the inner offsets are
    relative. Magic 0: the inner offsets are absolute. Raises ValueError when it cannot be opened.
    """
    inner = [read_message(data) for data in _split(decompress(wrapper.codec, _body(wrapper)))]
    if not inner:
        raise ValueError("the wrapper holds no message")
    if any(message.codec != "none" for message in inner if message.crc_ok):
        raise ValueError("the wrapper holds another wrapper")
    first_absolute = wrapper.offset - inner[-1].offset if wrapper.magic == 1 else 0
    if not all(abs(message.offset + first_absolute) < 1 << 63 for message in inner):
        raise ValueError("the wrapper's offset and those of its messages do not fit together")
    return [_resolved(message, wrapper, first_absolute) for message in inner]


def _resolved(message: Message, wrapper: Message, shift: int) -> Message:
    timestamp_ms = wrapper.timestamp_ms if wrapper.is_log_append_time else message.timestamp_ms
    return replace(message, offset=message.offset + shift, timestamp_ms=timestamp_ms)


def _body(wrapper: Message) -> memoryview:
    if wrapper.value is None:
        raise ValueError("the wrapper has a null value")
    return memoryview(wrapper.value)


def _split(message_set: bytes) -> Iterator[memoryview]:
    view = memoryview(message_set)
    at = 0
    while at < len(view):
        if len(view) - at < _HEADER.size:
            raise ValueError(f"{len(view) - at} bytes at inner byte {at}, too few for a message")
        size = ENTRY_HEADER.size + ENTRY_HEADER.unpack_from(view, at)[1]
        if not _HEADER.size <= size <= len(view) - at:
            raise ValueError(f"inner message at byte {at} claims {size} of {len(view) - at} bytes")
        yield view[at : at + size]
        at += size


def _checksum(data: memoryview) -> int:
    return zlib.crc32(data[_CRC_COVERS_FROM:])


def _timestamp(data: memoryview, at: int) -> int | None:
    if at + _TIMESTAMP.size > len(data):
        raise ValueError(f"the timestamp at byte {at} is cut off")
    timestamp_ms: int = _TIMESTAMP.unpack_from(data, at)[0]
    return None if timestamp_ms < 0 else timestamp_ms


def _sized(data: memoryview, at: int) -> tuple[bytes | None, int]:
    start = at + _LENGTH.size
    if start > len(data):
        raise ValueError(f"the length at byte {at} is cut off")
    length = _LENGTH.unpack_from(data, at)[0]
    if length == -1:
        return None, start
    if length < 0 or length > len(data) - start:
        raise ValueError(f"the field at byte {at} claims {length} of {len(data) - start} bytes")
    return bytes(data[start : start + length]), start + length
