"""How Kafka's own clients choose a partition by a key: BuiltInPartitioner.partitionForKey, and
DefaultPartitioner before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Hashes = np.ndarray[tuple[int], np.dtype[np.uint32]]

SEED, MIX = 0x9747B28C, np.uint32(0x5BD1E995)
SHIFT, LAST_SHIFTS = np.uint32(24), (np.uint32(13), np.uint32(15))
POSITIVE = np.uint32(0x7FFFFFFF)


def partitions_of(keys: Sequence[bytes], partitions: int) -> Numbers:
    """To which one of so many partitions the record of each of these keys goes.

    The keys are all of one length.
    """
    return (murmur2(keys) & POSITIVE).astype(np.int64) % partitions


def murmur2(keys: Sequence[bytes]) -> Hashes:
    """As org.apache.kafka.common.utils.Utils hashes keys, without a sign; all are of one length."""
    length = len(keys[0])
    octets = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), length)
    whole = length & ~3
    hashed = np.full(len(keys), SEED ^ length, np.uint32)
    for word in np.ascontiguousarray(octets[:, :whole]).view("<u4").T:
        mixed = word * MIX
        hashed = hashed * MIX ^ (mixed ^ mixed >> SHIFT) * MIX
    if whole < length:
        rest = np.zeros((len(keys), 4), np.uint8)
        rest[:, : length - whole] = octets[:, whole:]
        hashed = (hashed ^ rest.view("<u4")[:, 0]) * MIX
    first, second = LAST_SHIFTS
    hashed = (hashed ^ hashed >> first) * MIX
    found: Hashes = hashed ^ hashed >> second
    return found
