"""Batches of magic 2 (KIP-98): CRC and records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from crc32c import crc32c

from highwater.harness.gate.batch_header import HEADER_BYTES, Header
from highwater.harness.probes.compression import codec_name, decompress

_CRC_COVERS_FROM = 21  # so neither the base offset nor the leader epoch is protected
_LONGEST_VARINT_BITS = 63
MOST_DELTA = (1 << 31) - 1

LAST_OFFSET = (1 << 63) - 1


class Record(NamedTuple):
    """One record of a batch; its headers are as they stand there, see `headers_in`."""

    offset: int
    timestamp_ms: int | None
    key: bytes | None
    value: bytes | None
    headers: bytes = b""


def crc_holds(header: Header, data: memoryview) -> bool:
    return header.crc == crc32c(data[_CRC_COVERS_FROM:])


def read_batch_records(header: Header, data: memoryview) -> Iterator[Record]:
    """Raises ValueError at the first record that cannot be read, after yielding those before."""
    body = decompress(codec_name(header.attributes), data[HEADER_BYTES:])
    base_offset, base_timestamp_ms = header.base_offset, header.base_timestamp_ms
    appended_ms = header.max_timestamp_ms if header.is_log_append_time else None
    at, all_bytes = 0, len(body)
    for _ in range(header.record_count):
        length, at = varint(body, at, all_bytes)
        end = at + length
        if length < 0 or end > all_bytes:
            raise ValueError(f"record at byte {at} claims {length} of {all_bytes - at} bytes")
        # Its first byte are attributes, unused so far.
        delta_ms, at = varint(body, at + 1, end)
        offset_delta, at = varint(body, at, end)
        key, at = sized(body, at, end)
        value, at = sized(body, at, end)
        timestamp_ms = base_timestamp_ms + delta_ms if appended_ms is None else appended_ms
        known_ms = None if timestamp_ms < 0 else timestamp_ms
        offset = base_offset + offset_delta
        if not 0 <= offset_delta <= MOST_DELTA or offset > LAST_OFFSET:
            raise ValueError(f"record at byte {at} claims to be {offset_delta} after {base_offset}")
        yield Record(offset, known_ms, key, value, body[at:end])
        at = end
    if at != all_bytes:
        raise ValueError(f"{all_bytes - at} bytes follow the last of {header.record_count} records")


def headers_in(data: bytes) -> Mapping[str, bytes]:
    """The headers of a record, the last of each name; none where they cannot be read."""
    found: dict[str, bytes] = {}
    try:
        count, at = varint(data, 0, len(data))
        for _ in range(count):
            name, at = sized(data, at, len(data))
            content, at = sized(data, at, len(data))
            found[(name or b"").decode(errors="backslashreplace")] = content or b""
    except ValueError:
        return {}
    return found


def sized(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    """A field of a record that ends at `end`."""
    length, start = varint(data, at, end)
    if length == -1:
        return None, start
    after = start + length
    if length < 0 or after > end:
        raise ValueError(f"the field at byte {at} claims {length} of {end - start} bytes")
    return data[start:after], after


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A zigzag varint that ends before `end`, and the position after it."""
    if at < end and (byte := data[at]) < 0x80:  # nearly all of them
        return (byte >> 1) ^ -(byte & 1), at + 1
    zigzag = shift = 0
    while shift <= _LONGEST_VARINT_BITS and at < end:
        byte = data[at]
        at += 1
        zigzag |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (zigzag >> 1) ^ -(zigzag & 1), at
        shift += 7
    raise ValueError(f"the varint that ends at byte {at} is cut off or too long")
