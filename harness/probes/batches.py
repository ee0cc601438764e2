"""Reads the batches of a replica from its segment files, whatever state its broker is in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from highwater.harness.gate import batch_header
from highwater.harness.gate.batch_header import MAGIC_AT
from highwater.harness.probes import batch_format, legacy_format
from highwater.harness.probes.compression import codec_name
from highwater.harness.probes.segments import (
    Entry,
    log_entries,
    read_entries,
)

_UNKNOWN_MAGIC = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One batch, plain message or wrapper; None where the format has no field or holds -1.

    `leader_epoch`, `base_offset` and `size_bytes` are outside the CRC. `problem` is None for a
    sound batch; with a problem the other fields are what the file says, not what is true. The
    base offset of a magic 0 or 1 wrapper that cannot be opened is its last offset. Whether a
    magic 2 payload can be decompressed is only known after reading its records.
    """

    path: Path
    position: int
    size_bytes: int
    base_offset: int
    last_offset: int
    magic: int
    codec: str = "none"
    crc_ok: bool = False
    leader_epoch: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    base_sequence: int | None = None
    is_control: bool = False
    is_transactional: bool = False
    max_timestamp_ms: int | None = None
    problem: str | None = None


def read_batches(path: Path) -> Iterator[Batch]:
    """The batches of one segment, as of an active segment: an unfinished end is no problem.

    Raises OSError when the file is not there. Damage is reported in the batch, not raised.
    """
    return (batch_of(entry) for entry in read_entries(path))


def log_batches(partition_dir: Path) -> Iterator[Batch]:
    """The batches of all segments in offset order.

    Only the last segment may end in an unfinished entry; in the others that is a problem.
    """
    return (batch_of(entry) for entry in log_entries(partition_dir))


def batch_of(entry: Entry) -> Batch:
    if entry.problem is not None:
        return _unreadable(entry, _UNKNOWN_MAGIC, entry.problem)
    magic = int.from_bytes(entry.data[MAGIC_AT : MAGIC_AT + 1], "big", signed=True)
    if magic not in (0, 1, 2):
        problem = f"magic at byte {entry.position + MAGIC_AT} is {magic}, expected 0, 1 or 2"
        return _unreadable(entry, magic, problem)
    try:
        return _current(entry) if magic == batch_header.MAGIC else _legacy(entry)
    except ValueError as error:
        return _unreadable(entry, magic, f"entry at byte {entry.position}: {error}")


def _unreadable(entry: Entry, magic: int, problem: str) -> Batch:
    offset = entry.base_offset
    return Batch(
        path=entry.path,
        position=entry.position,
        size_bytes=entry.size_bytes,
        base_offset=offset,
        last_offset=offset,
        magic=magic,
        codec="unknown",
        problem=problem,
    )


def _current(entry: Entry) -> Batch:
    data = memoryview(entry.data)
    header = batch_header.read_header(data)
    crc_ok = batch_format.crc_holds(header, data)
    return Batch(
        path=entry.path,
        position=entry.position,
        size_bytes=entry.size_bytes,
        base_offset=header.base_offset,
        last_offset=header.base_offset + header.last_offset_delta,
        magic=header.magic,
        codec=codec_name(header.attributes),
        crc_ok=crc_ok,
        leader_epoch=_known(header.partition_leader_epoch),
        producer_id=_known(header.producer_id),
        producer_epoch=_known(header.producer_epoch),
        base_sequence=_known(header.base_sequence),
        is_control=header.is_control,
        is_transactional=header.is_transactional,
        max_timestamp_ms=_known(header.max_timestamp_ms),
        problem=None if crc_ok else _wrong_crc(entry),
    )


def _legacy(entry: Entry) -> Batch:
    message = legacy_format.read_message(memoryview(entry.data))
    base_offset = message.offset
    problem = None if message.crc_ok else _wrong_crc(entry)
    if message.crc_ok and message.codec != "none":
        base_offset, problem = _first_inner_offset(message, entry)
    return Batch(
        path=entry.path,
        position=entry.position,
        size_bytes=entry.size_bytes,
        base_offset=base_offset,
        last_offset=message.offset,
        magic=message.magic,
        codec=message.codec,
        crc_ok=message.crc_ok,
        max_timestamp_ms=message.timestamp_ms,
        problem=problem,
    )


def _first_inner_offset(wrapper: legacy_format.Message, entry: Entry) -> tuple[int, str | None]:
    try:
        return legacy_format.inner_messages(wrapper)[0].offset, None
    except ValueError as error:
        return wrapper.offset, f"wrapper at byte {entry.position}: {error}"


def _wrong_crc(entry: Entry) -> str:
    return f"CRC of the entry at byte {entry.position} does not match its {entry.size_bytes} bytes"


def _known(field: int) -> int | None:
    return None if field == -1 else field
