"""Offsets that no log can have: bytes outside of a CRC may claim any."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from kafka.record.util import calc_crc32c
from tests.unit.probes.one_by_one import read_records

from highwater.harness.model import TopicPartition
from highwater.harness.probes.segments import log_entries
from highwater.harness.replica_logs import Logs

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
    assert records[-1].offset < 1 << 63


def test_a_record_that_is_missing_behind_the_last_offset_of_all_is_a_problem_there(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    changed = bytearray(batch([(None, b"a")]))
    struct.pack_into(">q", changed, 0, (1 << 63) - 1)
    struct.pack_into(">i", changed, 57, 2)  # records, of which there is one
    struct.pack_into(">I", changed, 17, calc_crc32c(bytes(changed[21:])))
    segment(bytes(changed))
    logs = Logs({})

    for entry in log_entries(partition_dir):
        logs.add(1, TopicPartition("orders"), entry)

    assert [row["problem"] is None for row in logs.take().to_pylist()] == [True, False]
