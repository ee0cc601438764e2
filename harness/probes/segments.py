"""Splits the segment files of a partition into their entries, without a look inside.

Reads with plain reads, not a memory map: a broker may truncate the file at any moment.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ENTRY_HEADER = struct.Struct(">qi")  # offset, size of what follows
_SMALLEST_ENTRY = 14  # a magic 0 message with null key and null value
_SEGMENT_NAME = re.compile(r"\d{20}\.log")
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, wrapper or batch as it lies in the file; `problem` means: the walk ends here."""

    path: Path
    position: int
    size_bytes: int
    data: bytes
    problem: str | None = None

    @property
    def base_offset(self) -> int:
        """What its first bytes say; -1 where there are too few."""
        whole = len(self.data) >= ENTRY_HEADER.size
        return int(ENTRY_HEADER.unpack_from(self.data)[0]) if whole else -1


def segment_files(partition_dir: Path) -> list[Path]:
    """The live segments in offset order; the last one is active."""
    found = (path for path in partition_dir.iterdir() if _SEGMENT_NAME.fullmatch(path.name))
    return sorted(found, key=lambda path: path.name)


def base_offset_of(segment: Path) -> int:
    return int(segment.stem)


def read_entries(path: Path, *, sealed: bool = False) -> Iterator[Entry]:
    """Yield the entries that were complete when the walk began.

    An incomplete last entry or a preallocated tail of zeros ends the walk quietly, since the
    active segment may be written at this moment. In a `sealed` segment nobody writes, so there
    both are reported. A size that no entry can have is always reported.
    """
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        position = 0
        while position < end:
            entry = _next_entry(file, path, position, end)
            if entry is None:
                return
            if entry.problem is None or sealed or not _may_be_unfinished(file, entry, end):
                yield entry
            if entry.problem is not None:
                return
            position += entry.size_bytes


def log_entries(partition_dir: Path) -> Iterator[Entry]:
    """The entries of all segments in offset order."""
    segments = segment_files(partition_dir)
    for path in segments:
        yield from read_entries(path, sealed=path != segments[-1])


def _next_entry(file: BinaryIO, path: Path, position: int, end: int) -> Entry | None:
    """None when the file was truncated below `end` in the meantime."""
    left = end - position
    header = file.read(min(left, ENTRY_HEADER.size))
    if len(header) < ENTRY_HEADER.size:
        problem = f"{left} bytes at byte {position}, too few for the header of an entry"
        return Entry(path, position, left, header, problem)
    size = ENTRY_HEADER.unpack(header)[1]
    if size < _SMALLEST_ENTRY:
        problem = f"size field at byte {position} is {size}, expected {_SMALLEST_ENTRY} or more"
        return Entry(path, position, left, header, f"{problem}; {left} bytes are unreadable")
    if size > left - ENTRY_HEADER.size:
        problem = f"entry at byte {position} claims {size + ENTRY_HEADER.size} bytes of {left} left"
        return Entry(path, position, left, header, problem)
    body = file.read(size)
    if len(body) < size:
        return None
    return Entry(path, position, ENTRY_HEADER.size + size, header + body)


def _may_be_unfinished(file: BinaryIO, entry: Entry, end: int) -> bool:
    if len(entry.data) < ENTRY_HEADER.size:
        return True
    if ENTRY_HEADER.unpack(entry.data)[1] >= _SMALLEST_ENTRY:
        return True
    return _is_zero(file, entry.position, end)


def _is_zero(file: BinaryIO, position: int, end: int) -> bool:
    file.seek(position)
    while position < end:
        chunk = file.read(min(_CHUNK_BYTES, end - position))
        if not chunk:
            return True
        if chunk.count(0) != len(chunk):
            return False
        position += len(chunk)
    return True
