"""Looks into thousands of payloads at once, and says of each what `payload.examine` says of it.

What is ours for certain is told column by column, with one call into zlib for each payload; of
whatever is not, `examine` decides.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from highwater.harness.workloads.payload import (
    CHECKSUM_DIGITS,
    DIGITS,
    PREFIX,
    SMALLEST_BYTES,
    examine,
)

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
Bytes = np.ndarray[tuple[int, int], np.dtype[np.uint8]]

FEW = 8  # payloads of which each is looked into by itself sooner
SURE_DIGITS = 18  # numbers of so many digits are within 64 bits
_PREFIX = np.frombuffer(PREFIX, np.uint8)[:, None]
_ZERO = np.uint8(ord("0"))
_MOST = np.full((DIGITS, 1), 10, np.uint8)
_MOST[: DIGITS - SURE_DIGITS] = 1  # nothing but zeros
_NO_NIBBLE = 255
_NIBBLES = np.full(256, _NO_NIBBLE, np.uint8)
_NIBBLES[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_TOLD = [*range(len(PREFIX) + DIGITS), *range(-CHECKSUM_DIGITS, 0)]  # bytes that tell an identity
_ALL_ONES = np.uint32(0xFFFFFFFF)
_LOW = np.uint32(0xFF)


class Examined(NamedTuple):
    """A row for each payload; where it is `foreign` its value means nothing."""

    values: Numbers
    foreign: Flags
    checksums: Numbers


def examine_all(payloads: Sequence[bytes]) -> Examined:
    """The identities inside payloads, and their CRC-32, in columns."""
    checksums = np.array(list(map(zlib.crc32, payloads)), np.int64)
    values = np.zeros(len(payloads), np.int64)
    foreign = np.ones(len(payloads), np.bool_)
    size = len(payloads[0]) if len(payloads) >= FEW else 0
    if size >= SMALLEST_BYTES and set(map(len, payloads)) == {size}:
        whole = np.frombuffer(b"".join(payloads), np.uint8).reshape(-1, size)
        rows = np.ascontiguousarray(whole[:, _TOLD].T)
        foreign = ~_is_surely_ours(rows, checksums.astype(np.uint32))
        values = _numbers(rows)
    for row in np.flatnonzero(foreign).tolist():
        value, _ = examine(payloads[row])
        foreign[row], values[row] = value is None, value or 0
    return Examined(values, foreign, checksums)


def _is_surely_ours(rows: Bytes, checksums: np.ndarray) -> Flags:
    after = len(PREFIX) + DIGITS
    digits = rows[len(PREFIX) : after] - _ZERO  # what is below zero wraps
    nibbles = _NIBBLES[rows[-CHECKSUM_DIGITS:]]
    sure: Flags = (rows[: len(PREFIX)] == _PREFIX).all(0)
    sure &= (digits < _MOST).all(0)
    sure &= nibbles.max(0) != _NO_NIBBLE
    claimed = np.zeros(len(checksums), np.uint32)
    for each in nibbles:
        claimed = (claimed << np.uint32(4)) | each
    # No two checksums of what comes before the end lead to one checksum of the whole.
    sure &= _continued(claimed, rows[-CHECKSUM_DIGITS:]) == checksums
    return sure


def _numbers(rows: Bytes) -> Numbers:
    """What the digits say, where they are digits."""
    found = np.zeros(rows.shape[1], np.int64)
    for digit in rows[len(PREFIX) : len(PREFIX) + DIGITS] - _ZERO:
        found = found * 10 + digit
    return found


def _continued(checksums: np.ndarray, ends: Bytes) -> np.ndarray:
    """CRC-32 of what has these checksums so far, and goes on with these bytes."""
    state = checksums ^ _ALL_ONES
    for each in ends:
        state = _TABLE[(state ^ each) & _LOW] ^ (state >> np.uint32(8))
    return state ^ _ALL_ONES


def _table() -> np.ndarray:
    """What a byte does to a checksum."""
    state = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        state = np.where(state & 1, np.uint32(0xEDB88320), np.uint32(0)) ^ (state >> np.uint32(1))
    return state


_TABLE = _table()
