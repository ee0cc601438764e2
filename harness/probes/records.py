"""Reads every record of a replica from its segment files, byte for byte.

Damage is evidence: it becomes a record with a `problem` in the place where it was found, and
what follows is read as far as the entries can still be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.probes import batch_format, legacy_format
from highwater.harness.probes.batches import Batch, batch_of
from highwater.harness.probes.segments import Entry, log_entries, read_entries


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRecord:
    """One record, or with `problem` the span `offset`..`last_offset` that could not be read.

    For a sound record `last_offset` equals `offset`. A damaged span has neither key nor value;
    its offsets are what a header outside or inside a wrong CRC claims, so do not expand them
    without a bound. `position` is the byte where the record's batch starts in `path`.
    """

    path: Path
    position: int
    offset: int
    last_offset: int
    magic: int
    timestamp_ms: int | None = None
    key: bytes | None = None
    value: bytes | None = None
    leader_epoch: int | None = None
    producer_id: int | None = None
    is_control: bool = False
    crc_ok: bool = True
    problem: str | None = None


def read_records(partition_dir: Path) -> Iterator[LoggedRecord]:
    """The records of all segments in the order of the files, control records included."""
    for entry in log_entries(partition_dir):
        yield from _records_of(entry)


def read_segment_records(path: Path) -> Iterator[LoggedRecord]:
    """The records of one segment; an unfinished end is no problem."""
    for entry in read_entries(path):
        yield from _records_of(entry)


def _records_of(entry: Entry) -> Iterator[LoggedRecord]:
    batch = batch_of(entry)
    if batch.problem is not None:
        yield _damaged(batch, batch.base_offset, batch.problem, crc_ok=batch.crc_ok)
    elif batch.magic == batch_format.MAGIC:
        yield from _current(batch, memoryview(entry.data))
    else:
        yield from _legacy(batch, memoryview(entry.data))


def _current(batch: Batch, data: memoryview) -> Iterator[LoggedRecord]:
    offset = batch.base_offset
    try:
        for record in batch_format.read_batch_records(batch_format.read_header(data), data):
            yield _sound(batch, record)
            offset = record.offset + 1
    except ValueError as error:
        problem = f"batch at byte {batch.position}: {error}"
        yield _damaged(batch, offset, problem, crc_ok=batch.crc_ok)


def _legacy(batch: Batch, data: memoryview) -> Iterator[LoggedRecord]:
    message = legacy_format.read_message(data)
    plain = message.codec == "none"
    for inner in [message] if plain else legacy_format.inner_messages(message):
        if inner.crc_ok:
            yield _sound(batch, inner)
        else:
            problem = f"CRC of a message inside the wrapper at byte {batch.position} does not match"
            yield _damaged(batch, inner.offset, problem, crc_ok=False, last_offset=inner.offset)


def _sound(batch: Batch, record: batch_format.Record | legacy_format.Message) -> LoggedRecord:
    return LoggedRecord(
        path=batch.path,
        position=batch.position,
        offset=record.offset,
        last_offset=record.offset,
        magic=batch.magic,
        timestamp_ms=record.timestamp_ms,
        key=record.key,
        value=record.value,
        leader_epoch=batch.leader_epoch,
        producer_id=batch.producer_id,
        is_control=batch.is_control,
    )


def _damaged(
    batch: Batch, offset: int, problem: str, *, crc_ok: bool, last_offset: int | None = None
) -> LoggedRecord:
    return LoggedRecord(
        path=batch.path,
        position=batch.position,
        offset=offset,
        last_offset=max(offset, batch.last_offset if last_offset is None else last_offset),
        magic=batch.magic,
        leader_epoch=batch.leader_epoch,
        producer_id=batch.producer_id,
        is_control=batch.is_control,
        crc_ok=crc_ok,
        problem=problem,
    )
