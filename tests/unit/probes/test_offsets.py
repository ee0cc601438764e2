"""Offsets that no log can have: bytes outside of a CRC may claim any."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.probes.one_by_one import read_records

Bytes = Callable[..., bytes]
Writer = Callable[..., Path]


@pytest.mark.parametrize("base_offset", [(1 << 63) - 1, (1 << 63) - 2])
def test_an_offset_beyond_all_offsets_is_a_problem(
    segment: Writer, batch: Bytes, partition_dir: Path, base_offset: int
) -> None:
    sound = bytearray(batch([(None, b"a"), (None, b"b"), (None, b"c")]))
    struct.pack_into(">q", sound, 0, base_offset)  # which no CRC covers
    segment(bytes(sound))

    records = list(read_records(partition_dir))

    assert [record.offset for record in records[:-1]] == list(range(base_offset, 1 << 63))
    assert records[-1].problem is not None
