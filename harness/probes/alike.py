"""Reads the records of a batch in columns, where they are alike, as those of a load are.

Most records of a load differ from the one before in their numbers, and not in how many bytes these
take: stretches of such records are taken apart at once. Whatever is not so (values that are not
there, damage) is left to `batch_format`, which says the same of such a batch, and more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from highwater.harness.gate.batch_header import HEADER_BYTES, Header
from highwater.harness.probes.batch_format import (
    LAST_OFFSET,
    MOST_DELTA,
    varint,
)
from highwater.harness.probes.compression import codec_name, decompress

FEW = 16  # records, of which each is read by itself sooner
STRETCHES = 32  # of one batch; one of more has no records that are alike
LONGEST_DELTA = 5  # bytes
ALL_BITS, NO_BITS, CONTINUES = b"\xff", b"\0", b"\x80"

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Fields = np.ndarray[tuple[int, int], np.dtype[np.uint8]]


class Alike(NamedTuple):
    """Sound records, all of a batch."""

    offsets: Numbers
    values: list[bytes]
    keys: list[bytes | None]


class _Form(NamedTuple):
    """Where the fields of a record are, counted from its first byte."""

    same: bytes  # of each byte before the value: the bits in which records that are alike agree
    offset: slice
    key: slice | None
    value: slice
    size: int


def read_alike(header: Header, data: memoryview) -> Alike | None:
    """All records of a sound batch; None where they are not alike enough."""
    if header.record_count < FEW or header.is_control:
        return None
    try:
        return _read(header, decompress(codec_name(header.attributes), data[HEADER_BYTES:]))
    except ValueError:
        return None  # and `batch_format` says why


def _read(header: Header, body: bytes) -> Alike | None:
    """Raises ValueError for what is no record."""
    whole, at = np.frombuffer(body, np.uint8), 0
    deltas, values, keys = list[Numbers](), list[bytes](), list[bytes | None]()
    for _ in range(STRETCHES):
        form = _form(body, at)
        most = min(header.record_count - len(values), (len(body) - at) // form.size)
        rows = whole[at : at + most * form.size].reshape(most, form.size)
        fields = np.ascontiguousarray(rows[:, : form.value.start].T)
        count = _how_many_are_like_the_first(fields, form)
        deltas.append(_numbers(fields[form.offset, :count]))
        end = at + count * form.size
        records = range(at, end, form.size)
        values += _cut(body, records, form.value)
        keys += [None] * count if form.key is None else _cut(body, records, form.key)
        at = end
        if len(values) == header.record_count:
            told = np.concatenate(deltas)
            return _alike(header, told, values, keys) if at == len(body) else None
    return None


def _cut(body: bytes, records: range, field: slice) -> list[bytes]:
    """A field of each of the records that begin there."""
    length = field.stop - field.start
    starts = range(records.start + field.start, records.stop + field.start, records.step)
    return [body[start : start + length] for start in starts]


def _form(body: bytes, at: int) -> _Form:
    """Of the record that begins there; raises ValueError for one without a form."""
    length, start = varint(body, at, len(body))
    end = start + length
    _, offset = varint(body, start + 1, end)
    _, key = varint(body, offset, end)
    key_length, key_at = varint(body, key, end)
    key_end = key_at + max(0, key_length)
    value_length, value = varint(body, key_end, end)
    value_end = value + value_length
    has_form = key_length >= -1 and value_length >= 0 and key - offset <= LONGEST_DELTA
    if not has_form or not value_end <= end <= len(body):
        raise ValueError(f"the record at byte {at} has a form of its own")
    numbers = CONTINUES * (key - start - 1)  # a time and an offset
    lengths = ALL_BITS * (key_at - key), NO_BITS * (key_end - key_at), ALL_BITS * (value - key_end)
    return _Form(
        ALL_BITS * (start - at) + NO_BITS + numbers + b"".join(lengths),
        slice(offset - at, key - at),
        slice(key_at - at, key_end - at) if key_length >= 0 else None,
        slice(value - at, value_end - at),
        end - at,
    )


def _how_many_are_like_the_first(fields: Fields, form: _Form) -> int:
    bits = np.frombuffer(form.same, np.uint8)[:, None]
    differs = (((fields ^ fields[:, :1]) & bits) != 0).any(0)
    return int(differs.argmax()) if differs.any() else len(differs)


def _numbers(fields: Fields) -> Numbers:
    """Zigzag varints, of which each is a column."""
    zigzag = np.zeros(fields.shape[1], np.int64)
    for shift, each in enumerate(fields):
        zigzag |= (each & 0x7F).astype(np.int64) << (7 * shift)
    return (zigzag >> 1) ^ -(zigzag & 1)


def _alike(
    header: Header, deltas: Numbers, values: list[bytes], keys: list[bytes | None]
) -> Alike | None:
    highest = int(deltas.max())
    if deltas.min() < 0 or highest > MOST_DELTA or header.base_offset > LAST_OFFSET - highest:
        return None
    return Alike(header.base_offset + deltas, values, keys)
