"""Batches of magic 2 (KIP-98): header, CRC and records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crc32c import crc32c

from highwater.harness.probes.compression import codec_name, decompress

_HEADER = struct.Struct(">qiibIhiqqqhii")
_CRC_COVERS_FROM = 21  # so neither the base offset nor the leader epoch is protected
_LOG_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_LONGEST_VARINT_BITS = 63

MAGIC = 2
HEADER_BYTES = 61


class Header(NamedTuple):
    """The fields in the order of the file."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp_ms: int
    max_timestamp_ms: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def codec(self) -> str:
        return codec_name(self.attributes)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & _TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & _CONTROL)

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & _LOG_APPEND_TIME)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a batch; headers are skipped."""

    offset: int
    timestamp_ms: int | None
    key: bytes | None
    value: bytes | None


def read_header(data: memoryview) -> Header:
    """Raises ValueError when the entry is too short to be a batch."""
    if len(data) < HEADER_BYTES:
        raise ValueError(f"{len(data)} bytes, too few for the {HEADER_BYTES} of a batch header")
    return Header._make(_HEADER.unpack_from(data))


def crc_holds(header: Header, data: memoryview) -> bool:
    return header.crc == crc32c(data[_CRC_COVERS_FROM:])


def read_batch_records(header: Header, data: memoryview) -> Iterator[Record]:
    """Raises ValueError at the first record that cannot be read, after yielding those before."""
    payload = data[HEADER_BYTES:]
    body = payload if header.codec == "none" else memoryview(decompress(header.codec, payload))
    at = 0
    for _ in range(header.record_count):
        length, at = _varint(body, at)
        if length < 0 or length > len(body) - at:
            raise ValueError(f"record at byte {at} claims {length} of {len(body) - at} bytes")
        yield _read_record(header, body[at : at + length])
        at += length
    if at != len(body):
        raise ValueError(f"{len(body) - at} bytes follow the last of {header.record_count} records")


def _read_record(header: Header, data: memoryview) -> Record:
    at = 1  # record attributes, unused so far
    timestamp_delta_ms, at = _varint(data, at)
    offset_delta, at = _varint(data, at)
    key, at = _sized(data, at)
    value, at = _sized(data, at)
    timestamp_ms = header.base_timestamp_ms + timestamp_delta_ms
    if header.is_log_append_time:
        timestamp_ms = header.max_timestamp_ms
    return Record(
        offset=header.base_offset + offset_delta,
        timestamp_ms=None if timestamp_ms < 0 else timestamp_ms,
        key=key,
        value=value,
    )


def _sized(data: memoryview, at: int) -> tuple[bytes | None, int]:
    length, start = _varint(data, at)
    if length == -1:
        return None, start
    if length < 0 or length > len(data) - start:
        raise ValueError(f"the field at byte {at} claims {length} of {len(data) - start} bytes")
    return bytes(data[start : start + length]), start + length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A zigzag varint and the position after it."""
    zigzag = shift = 0
    while shift <= _LONGEST_VARINT_BITS and at < len(data):
        byte = data[at]
        at += 1
        zigzag |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (zigzag >> 1) ^ -(zigzag & 1), at
        shift += 7
    raise ValueError(f"the varint that ends at byte {at} is cut off or too long")
