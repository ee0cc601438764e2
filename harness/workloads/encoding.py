"""Makes thousands of payloads at once, each as `payload.encoder` makes it.

Those of one thousand values differ in three digits and in what their checksums make of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from highwater.harness.workloads import checksums
from highwater.harness.workloads.checksums import Numbers
from highwater.harness.workloads.payload import (
    CHECKSUM_DIGITS,
    DIGITS,
    PREFIX,
    body_template,
    encoder,
)

FEW = 8  # records of which each is made by itself sooner
ALIKE = 1000  # values of which all digits but the last three are the same
_LAST = slice(len(PREFIX) + DIGITS - 3, len(PREFIX) + DIGITS)
_DIGITS = np.array([list(b"%03d" % number) for number in range(ALIKE)], np.uint8)


class Encoded(NamedTuple):
    """A row for each record."""

    contents: Sequence[bytes]
    checksums: Numbers  # CRC-32 of the whole payload


class Encoder:
    """Payloads of one size."""

    def __init__(self, size_bytes: int) -> None:
        self._one = encoder(size_bytes)
        self._template = body_template(size_bytes)
        alike = [zlib.crc32(self._template % number) for number in range(ALIKE)]
        self._changes = np.array(alike, np.uint32) ^ np.uint32(alike[0])

    def all(self, values: range) -> Encoded:
        """Those of these values, which follow upon each other."""
        if len(values) < FEW:
            each = [self._one(value) for value in values]
            return Encoded(
                [content for content, _ in each], np.array([s for _, s in each], np.int64)
            )
        rows, body_checksums = self._bodies(values)
        rows[:, -CHECKSUM_DIGITS:] = checksums.ends(body_checksums).view(np.uint8)
        contents = rows.view(f"S{rows.shape[1]}").ravel().tolist()  # none ends with a zero byte
        return Encoded(contents, checksums.whole(body_checksums).astype(np.int64))

    def _bodies(self, values: range) -> tuple[np.ndarray, checksums.Checksums]:
        """Payloads whose ends are not written yet, a row each, and checksums of what is."""
        size_bytes = len(self._template % 0) + CHECKSUM_DIGITS
        rows = np.empty((len(values), size_bytes), np.uint8)
        found = np.empty(len(values), np.uint32)
        for first in range(values.start - values.start % ALIKE, values.stop, ALIKE):
            some = slice(max(0, first - values.start), first + ALIKE - values.start)
            body = self._template % first
            rows[some, :-CHECKSUM_DIGITS] = np.frombuffer(body, np.uint8)
            found[some] = zlib.crc32(body)
        last = np.arange(values.start % ALIKE, values.start % ALIKE + len(values)) % ALIKE
        rows[:, _LAST] = _DIGITS[last]
        return rows, found ^ self._changes[last]
