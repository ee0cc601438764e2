"""The header of a batch of magic 2 (KIP-98), which no compression covers."""

from __future__ import annotations

import struct
from typing import NamedTuple

_HEADER = struct.Struct(">qiibIhiqqqhii")
_LOG_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20

MAGIC = 2
MAGIC_AT = 16  # in batches, and in messages of older formats
HEADER_BYTES = _HEADER.size
LENGTH_ENDS_AT = 12  # bytes that come before, and are not counted in it


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
    def is_transactional(self) -> bool:
        return bool(self.attributes & _TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & _CONTROL)

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & _LOG_APPEND_TIME)


def read_header(data: bytes | memoryview, at: int = 0) -> Header:
    """Of the batch that begins there. Raises ValueError when there is too little to be one."""
    left = len(data) - at
    if left < HEADER_BYTES:
        raise ValueError(f"{left} bytes, too few for the {HEADER_BYTES} of a batch header")
    return Header._make(_HEADER.unpack_from(data, at))
