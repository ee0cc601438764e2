"""Payloads that know who they are: a record's identity and a checksum travel inside its value.

Identity cannot be in a header: record headers came with Kafka 0.11.
"""

from __future__ import annotations

import zlib

PREFIX = b"highwater:"
DIGITS = 20
CHECKSUM_DIGITS = 8
SMALLEST_BYTES = len(PREFIX) + DIGITS + 1 + CHECKSUM_DIGITS


def encode(value: int, size_bytes: int = 64) -> tuple[bytes, int]:
    """The payload of record `value` and its checksum; padded, never shorter than it needs."""
    body = (b"highwater:%020d:" % value).ljust(size_bytes - CHECKSUM_DIGITS, b".")
    body_checksum = zlib.crc32(body)
    end = b"%08x" % body_checksum
    return body + end, zlib.crc32(end, body_checksum)


def value_of(content: bytes) -> int:
    """The value in a payload that is known to be ours and whole: no checks."""
    return int(content[len(PREFIX) : len(PREFIX) + DIGITS])


def checksum(payload: bytes) -> int:
    """CRC-32 of a whole payload, for the record's tables."""
    return zlib.crc32(payload)


def identify(payload: bytes | None) -> int | None:
    """The identity inside a payload; None when it is not one of ours or is damaged."""
    if payload is None or len(payload) < SMALLEST_BYTES or not payload.startswith(PREFIX):
        return None
    body, written = payload[:-CHECKSUM_DIGITS], payload[-CHECKSUM_DIGITS:]
    if b"%0*x" % (CHECKSUM_DIGITS, zlib.crc32(body)) != written:
        return None
    digits = body[len(PREFIX) : len(PREFIX) + DIGITS]
    return int(digits) if digits.isdigit() else None
