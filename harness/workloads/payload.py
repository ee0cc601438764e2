"""Payloads that know who they are: a record's identity and a checksum travel inside its value.

Identity cannot be in a header: record headers came with Kafka 0.11.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable

PREFIX = b"highwater:"
DIGITS = 20
CHECKSUM_DIGITS = 8
LARGEST = b"%020d" % ((1 << 63) - 1)  # for which the record's tables have room
SMALLEST_BYTES = len(PREFIX) + DIGITS + 1 + CHECKSUM_DIGITS


class Values:
    """Hands out record identities, each one once in a run; safe for several clients."""

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self._lock = threading.Lock()

    def take(self, count: int) -> range:
        with self._lock:
            taken = range(self._next, self._next + count)
            self._next = taken.stop
        return taken


def body_template(size_bytes: int) -> bytes:
    """For `%` with a value: what comes before the checksum, padded to make up the size.

    No payload is shorter than it needs to be.
    """
    return PREFIX + b"%020d:" + b"." * max(0, size_bytes - SMALLEST_BYTES)


def encoder(size_bytes: int) -> Callable[[int], tuple[bytes, int]]:
    """Makes the payload of a record from its value, and gives its checksum too.

    Payloads are padded to `size_bytes`, and never shorter than they need to be.
    """
    template = body_template(size_bytes)
    crc32 = zlib.crc32

    def encode(value: int) -> tuple[bytes, int]:
        body = template % value
        body_checksum = crc32(body)
        end = b"%08x" % body_checksum
        return body + end, crc32(end, body_checksum)

    return encode


def value_of(content: bytes) -> int:
    """The value in a payload that is known to be ours and whole: no checks."""
    return int(content[len(PREFIX) : len(PREFIX) + DIGITS])


def examine(payload: bytes) -> tuple[int | None, int]:
    """The identity inside a payload, and its CRC-32 for the record's tables.

    One that is not ours, or is damaged, has no identity.
    """
    end = payload[-CHECKSUM_DIGITS:]
    body_checksum = zlib.crc32(payload[:-CHECKSUM_DIGITS])
    checksum = zlib.crc32(end, body_checksum)
    if len(payload) < SMALLEST_BYTES or not payload.startswith(PREFIX):
        return None, checksum
    digits = payload[len(PREFIX) : len(PREFIX) + DIGITS]
    if b"%08x" % body_checksum != end or not digits.isdigit() or digits > LARGEST:
        return None, checksum
    return int(digits), checksum
