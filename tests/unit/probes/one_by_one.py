"""Records of a log one by one, with what is said of their batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.probes import records as probe
from highwater.harness.probes.batches import Batch
from highwater.harness.probes.segments import log_entries, read_entries


@dataclass(frozen=True)
class Seen:
    """One record, or the span that could not be read."""

    batch: Batch
    offset: int
    last_offset: int
    timestamp_ms: int | None = None
    key: bytes | None = None
    value: bytes | None = None
    crc_ok: bool = True
    problem: str | None = None


def _each(stretches: Iterable[probe.Stretch]) -> Iterator[Seen]:
    for one in stretches:
        if one.problem is not None:
            yield Seen(
                one.batch, one.offset, one.last_offset, crc_ok=one.crc_ok, problem=one.problem
            )
        for record in one.records:
            yield Seen(one.batch, record.offset, record.offset, *record[1:])


def read_records(partition_dir: Path) -> Iterator[Seen]:
    """Of all segments."""
    for entry in log_entries(partition_dir):
        yield from _each(probe.stretches_of(entry))


def read_segment_records(path: Path) -> Iterator[Seen]:
    """Of one segment, of which the end may be unfinished."""
    for entry in read_entries(path):
        yield from _each(probe.stretches_of(entry))
