"""Cuts what a power loss may take from the log of a stopped broker: a suffix never flushed.

After an unclean stop a broker may find any prefix of its log that reaches the recovery point.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.errors import PreconditionError
from highwater.harness.probes.batches import Batch, read_batches
from highwater.harness.probes.segments import base_offset_of, segment_files

_INDEX_SUFFIXES = (".index", ".timeindex", ".txnindex")
_SNAPSHOT_NAME = re.compile(r"(\d{20})\.snapshot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What was taken; without a batch to take, `position` is the end of the file."""

    path: Path
    position: int
    removed_bytes: int
    removed_batches: int
    first_removed_offset: int | None
    recovery_point: int


def cut_tail(partition_dir: Path, keep_before_offset: int, recovery_point: int) -> Cut:
    """Remove every record at or above `keep_before_offset`, as a power loss would.

    The broker must be stopped. Only the active segment is cut, and only between batches. Its
    indexes and the producer snapshots beyond the new end are deleted; the broker rebuilds them.
    Where there is nothing to remove, nothing is touched and `removed_batches` is 0. An
    unreadable rest of the file behind the cut goes too and counts as one batch.

    Raises PreconditionError, before changing anything, when the cut would go below
    `recovery_point` (flushed data survives a power loss), below the active segment, inside a
    batch, or past a damaged batch.
    """
    segment = _active_segment(partition_dir)
    _refuse_flushed(segment, keep_before_offset, recovery_point)
    kept_end, removed = _divide(segment, keep_before_offset)
    size_bytes = segment.stat().st_size
    position = removed[0].position if removed else size_bytes
    if removed:
        _truncate(segment, position)
        _delete(_derived_files(segment, kept_end))
        _sync_directory(partition_dir)
    return Cut(
        path=segment,
        position=position,
        removed_bytes=size_bytes - position,
        removed_batches=len(removed),
        first_removed_offset=removed[0].base_offset if removed else None,
        recovery_point=recovery_point,
    )


def _active_segment(partition_dir: Path) -> Path:
    segments = segment_files(partition_dir)
    if not segments:
        raise PreconditionError(f"expected a segment to cut, saw none; look at {partition_dir}")
    return segments[-1]


def _refuse_flushed(segment: Path, keep_before_offset: int, recovery_point: int) -> None:
    if keep_before_offset < recovery_point:
        raise PreconditionError(
            f"expected to cut at or above the recovery point {recovery_point}, asked for "
            f"{keep_before_offset}: flushed records survive a power loss; look at {segment}"
        )
    if keep_before_offset < base_offset_of(segment):
        raise PreconditionError(
            f"expected to cut inside the active segment, which starts at "
            f"{base_offset_of(segment)}, asked for {keep_before_offset}; look at {segment}"
        )


def _divide(segment: Path, keep_before_offset: int) -> tuple[int, list[Batch]]:
    """The log end offset after the cut, and the batches that go."""
    kept_end = base_offset_of(segment)
    removed: list[Batch] = []
    for batch in read_batches(segment):
        if not removed and batch.problem is not None:
            raise PreconditionError(
                f"expected sound batches up to the cut at {keep_before_offset}, "
                f"saw: {batch.problem}; look at {segment}"
            )
        if removed or batch.last_offset >= keep_before_offset:
            removed.append(batch)
        else:
            kept_end = batch.last_offset + 1
    if removed and removed[0].base_offset < keep_before_offset:
        raise PreconditionError(
            f"expected {keep_before_offset} to begin a batch, but the batch at byte "
            f"{removed[0].position} holds {removed[0].base_offset}..{removed[0].last_offset}; "
            f"look at {segment}"
        )
    return kept_end, removed


def _truncate(segment: Path, position: int) -> None:
    with segment.open("r+b") as file:
        file.truncate(position)
        os.fsync(file.fileno())


def _derived_files(segment: Path, log_end_offset: int) -> Iterator[Path]:
    for suffix in _INDEX_SUFFIXES:
        yield segment.with_suffix(suffix)
    for path in list(segment.parent.iterdir()):
        name = _SNAPSHOT_NAME.fullmatch(path.name)
        if name and int(name[1]) > log_end_offset:
            yield path


def _delete(paths: Iterator[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
