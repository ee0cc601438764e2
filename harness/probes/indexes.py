"""Reads the offset index beside a segment, by which a broker finds where an offset lies in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.errors import RecordError
from highwater.harness.probes.segments import base_offset_of

_ENTRY = struct.Struct(">ii")  # offset less that of the segment, position in its file


@dataclass(frozen=True, slots=True)
class Indexed:
    """The records from `offset` on lie at `position` (bytes) of the segment, or behind it."""

    offset: int
    position: int


def index_of(segment: Path) -> Path:
    """The file beside it, as brokers name it (kafka.log.LogFile)."""
    return segment.with_suffix(".index")


def read_index(path: Path) -> Iterator[Indexed]:
    """The entries in their order; a file that is written to has zeros behind them.

    Raises RecordError where offsets or positions do not grow, or half an entry is at the end.
    """
    told = path.read_bytes()
    base, before = base_offset_of(path), Indexed(-1, 0)
    if len(told) % _ENTRY.size:
        raise RecordError(f"{path}: expected entries of {_ENTRY.size} bytes, saw {len(told)} bytes")
    for number, (offset, position) in enumerate(_ENTRY.iter_unpack(told)):
        if (offset, position) == (0, 0):  # no entry is of the beginning, which needs none
            if any(told[number * _ENTRY.size :]):
                raise RecordError(f"{path}: expected zeros behind the last entry, {before}")
            return
        entry = Indexed(base + offset, position)
        if entry.offset <= before.offset or entry.position <= before.position:
            raise RecordError(f"{path}: expected growing entries, saw {entry} behind {before}")
        yield entry
        before = entry
