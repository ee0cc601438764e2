"""CRC-32 of thousands of payloads at once, by tables: what comes at their ends, and of the whole.

A payload ends with the checksum of what comes before, in hexadecimal digits, and its checksum in
the record's tables is that of all its bytes. CRC-32 is affine: what a byte of the first checksum
does to the second one is the same whatever the other bytes are.
"""

from __future__ import annotations

import zlib

import numpy as np

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Checksums = np.ndarray[tuple[int], np.dtype[np.uint32]]
Pairs = np.ndarray[tuple[int, int], np.dtype[np.uint16]]  # two characters each, a row a payload

BYTES = 4
NO_BYTE = -1  # in `BYTE_OF_PAIR`: that pair of characters is no byte in hexadecimal digits
_PAIRS = b"".join(b"%02x" % byte for byte in range(256))
PAIR_OF_BYTE = np.frombuffer(_PAIRS, np.uint16)
BYTE_OF_PAIR = np.full(1 << 16, NO_BYTE, np.int16)
BYTE_OF_PAIR[PAIR_OF_BYTE] = np.arange(256)


def _ended(checksum: int) -> int:
    """The checksum of what had this one, and ends with it in digits."""
    return zlib.crc32(b"%08x" % checksum, checksum)


_OF_ZERO = np.uint32(_ended(0))
# What each value of each byte changes about that, the least significant byte first.
_CHANGES = np.array(
    [[_ended(byte << 8 * place) for byte in range(256)] for place in range(BYTES)], np.uint32
) ^ np.uint32(_OF_ZERO)


def whole(checksums: Checksums) -> Checksums:
    """Those of payloads, by those of what comes before their ends."""
    found = np.full(len(checksums), _OF_ZERO)
    for place, changes in enumerate(_CHANGES):
        found ^= changes[(checksums >> np.uint32(8 * place)).astype(np.uint8)]
    return found


def ends(checksums: Checksums) -> Pairs:
    """As payloads end with them."""
    return PAIR_OF_BYTE[checksums.astype(">u4").view(np.uint8).reshape(-1, BYTES)]
