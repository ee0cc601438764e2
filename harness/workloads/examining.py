"""Looks into thousands of payloads at once, and says of each what `payload.examine` says of it.

What is ours for certain is told column by column, with one call into a library for each payload; of
whatever is not, `examine` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from isal.isal_zlib import crc32

from highwater.harness.workloads import checksums
from highwater.harness.workloads.checksums import Numbers, Pairs
from highwater.harness.workloads.payload import (
    CHECKSUM_DIGITS,
    DIGITS,
    PREFIX,
    SMALLEST_BYTES,
    examine,
    value_of,
)

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
Bytes = np.ndarray[tuple[int, int], np.dtype[np.uint8]]

FEW = 8  # payloads of which each is looked into by itself sooner
_PREFIX = np.frombuffer(PREFIX, np.uint16)[:, None]
_HEAD = len(PREFIX) + DIGITS
_NO_NUMBER = 100
_NUMBER_OF_PAIR = np.full(1 << 16, _NO_NUMBER, np.uint8)  # what two digits say
_NUMBER_OF_PAIR[np.frombuffer(b"".join(b"%02d" % n for n in range(100)), np.uint16)] = range(100)


class Examined(NamedTuple):
    """A row for each payload; where it is `foreign` its value means nothing."""

    values: Numbers
    foreign: Flags
    checksums: Numbers

    def of_others(self) -> Examined:
        """The same where no payload is ours, whatever it looks like."""
        return self._replace(foreign=np.ones(len(self.values), np.bool_))


def examine_all(payloads: Sequence[bytes]) -> Examined:
    """The identities inside payloads, and their CRC-32, in columns."""
    found = np.fromiter(map(crc32, payloads), np.int64, len(payloads))
    values = np.zeros(len(payloads), np.int64)
    foreign = np.ones(len(payloads), np.bool_)
    size = len(payloads[0]) if len(payloads) >= FEW else 0
    if size >= SMALLEST_BYTES and set(map(len, payloads)) == {size}:
        rows = np.frombuffer(b"".join(payloads), np.uint8).reshape(-1, size)
        values, sure = _identities(_pairs(rows[:, :_HEAD]))
        foreign = ~(sure & _ends_well(_pairs(rows[:, -CHECKSUM_DIGITS:]), found))
    for row in np.flatnonzero(foreign).tolist():
        value, _ = examine(payloads[row])
        foreign[row], values[row] = value is None, value or 0
    return Examined(values, foreign, found)


def values_of(payloads: Sequence[bytes]) -> Numbers:
    """The values in payloads of one size that are known to be ours and whole: no checks."""
    if len(payloads) < FEW:
        return np.array([value_of(payload) for payload in payloads], np.int64)
    rows = np.frombuffer(b"".join(payloads), np.uint8).reshape(len(payloads), -1)
    return _identities(_pairs(rows[:, :_HEAD]))[0]


def _pairs(rows: Bytes) -> Pairs:
    """Two bytes at once, a row for each place."""
    return np.ascontiguousarray(np.ascontiguousarray(rows).view(np.uint16).T)


def _identities(head: Pairs) -> tuple[Numbers, Flags]:
    """What the digits say, and where they are digits of a number that fits for certain."""
    of_prefix, of_digits = head[: len(_PREFIX)], _NUMBER_OF_PAIR[head[len(_PREFIX) :]]
    sure: Flags = (of_prefix == _PREFIX).all(0) & (of_digits[0] == 0)
    sure &= of_digits.max(0) != _NO_NUMBER
    found = np.zeros(head.shape[1], np.int64)
    for number in of_digits[1:]:
        found *= 100
        found += number
    return found, sure


def _ends_well(end: Pairs, found: Numbers) -> Flags:
    """Where a payload ends with the checksum of what comes before, by that of the whole.

    No two checksums of what comes before the end lead to one checksum of the whole.
    """
    claimed = np.zeros(end.shape[1], np.uint32)
    told = checksums.BYTE_OF_PAIR[end]
    for byte in told.astype(np.uint32):
        claimed = (claimed << np.uint32(8)) | byte
    well: Flags = (told.min(0) != checksums.NO_BYTE) & (checksums.whole(claimed) == found)
    return well
