"""Records of a log one by one, with what is said of their batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.gate.batch_header import read_header
from highwater.harness.probes import records as probe
from highwater.harness.probes.batch_format import Record, read_batch_records
from highwater.harness.probes.batches import Batch
from highwater.harness.probes.segments import Entry, log_entries, read_entries


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


def _each(entry: Entry) -> Iterator[Seen]:
    for one in probe.stretches_of(entry):
        if one.problem is not None:
            yield Seen(
                one.batch, one.offset, one.last_offset, crc_ok=one.crc_ok, problem=one.problem
            )
        for record in _records_of(one, entry):
            yield Seen(one.batch, record.offset, record.offset, *record[1:4])


def _records_of(one: probe.Stretch, entry: Entry) -> Sequence[Record]:
    """Those that were read in columns are the same when each is read by itself."""
    if one.alike is None:
        return one.records
    data = memoryview(entry.data)
    records = list(read_batch_records(read_header(data), data))
    assert one.alike.offsets.tolist() == [record.offset for record in records]
    assert one.alike.values == [record.value for record in records]
    assert {record.key for record in records} == {None}
    return records


def read_records(partition_dir: Path) -> Iterator[Seen]:
    """Of all segments."""
    for entry in log_entries(partition_dir):
        yield from _each(entry)


def read_segment_records(path: Path) -> Iterator[Seen]:
    """Of one segment, of which the end may be unfinished."""
    for entry in read_entries(path):
        yield from _each(entry)
