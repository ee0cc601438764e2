"""Reads every record of an entry of a replica's segment files, byte for byte.

Damage is evidence: it becomes a record with a `problem` in the place where it was found, and
what follows is read as far as the entries can still be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from highwater.harness.gate import batch_header
from highwater.harness.probes import batch_format, legacy_format
from highwater.harness.probes.alike import Alike, read_alike
from highwater.harness.probes.batch_format import LAST_OFFSET, Record
from highwater.harness.probes.batches import Batch, batch_of
from highwater.harness.probes.segments import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Sound records of one batch, or with `problem` the span that could not be read instead.

    The records are either in `records` or, where they are alike, in the columns of `alike`.
    The offsets of a damaged span are `offset` to `last_offset`, as a header outside or inside a
    wrong CRC claims them, so do not expand them without a bound. `crc_ok` is whether they are
    inside a right one.
    """

    batch: Batch
    records: Sequence[Record] = ()
    alike: Alike | None = None
    problem: str | None = None
    offset: int = 0
    last_offset: int = 0
    crc_ok: bool = True


def stretches_of(entry: Entry, *, in_columns: bool = True) -> Iterator[Stretch]:
    """What an entry of a segment has, control records included; columns have no headers."""
    batch = batch_of(entry)
    if batch.problem is not None:
        yield _damaged(batch, batch.base_offset, batch.problem, crc_ok=batch.crc_ok)
    elif batch.magic == batch_header.MAGIC:
        yield from _current(batch, memoryview(entry.data), in_columns=in_columns)
    else:
        yield from _legacy(batch, memoryview(entry.data))


def _current(batch: Batch, data: memoryview, *, in_columns: bool) -> Iterator[Stretch]:
    header = batch_header.read_header(data)
    alike = read_alike(header, data) if in_columns else None
    if alike is not None:
        yield Stretch(batch=batch, alike=alike)
        return
    records: list[Record] = []
    problem = None
    try:
        records.extend(batch_format.read_batch_records(header, data))
    except ValueError as error:
        problem = f"batch at byte {batch.position}: {error}"
    if records:
        yield Stretch(batch=batch, records=records)
    if problem is not None:
        offset = min(records[-1].offset + 1, LAST_OFFSET) if records else batch.base_offset
        yield _damaged(batch, offset, problem, crc_ok=batch.crc_ok)


def _legacy(batch: Batch, data: memoryview) -> Iterator[Stretch]:
    message = legacy_format.read_message(data)
    plain = message.codec == "none"
    for inner in [message] if plain else legacy_format.inner_messages(message):
        if inner.crc_ok:
            record = Record(inner.offset, inner.timestamp_ms, inner.key, inner.value)
            yield Stretch(batch=batch, records=(record,))
        else:
            problem = f"CRC of a message inside the wrapper at byte {batch.position} does not match"
            yield _damaged(batch, inner.offset, problem, crc_ok=False, last_offset=inner.offset)


def _damaged(
    batch: Batch, offset: int, problem: str, *, crc_ok: bool, last_offset: int | None = None
) -> Stretch:
    return Stretch(
        batch=batch,
        problem=problem,
        offset=offset,
        last_offset=max(offset, batch.last_offset if last_offset is None else last_offset),
        crc_ok=crc_ok,
    )
