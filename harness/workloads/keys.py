"""Keys of records: which one a record is sent with, and how the record of a run has it.

The key of a record follows from its value, whichever way keys are chosen: nothing is kept of each.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from highwater.harness.errors import UsageError
from highwater.harness.tables import NO_KEY

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]

MOST_KEYS = 1_000_000
SEQUENCE, UNIFORM, SKEWED = "sequence", "uniform", "skewed"
CHOICES = (SEQUENCE, UNIFORM, SKEWED)
DRAWN = 1 << 16  # keys that are drawn before the draws begin anew; of very many keys, twice these
SEED = 7


class Keys:
    """So many keys, chosen in one of these ways by the values of records; none with a count of 0.

    In "sequence" each has its turn; "uniform" draws one for each record, all alike; "skewed" draws
    the first one twice as often as the second, three times as often as the third: Zipf's law.
    """

    def __init__(self, count: int, choice: str = SEQUENCE) -> None:
        made = [b"key-%07d" % number for number in range(count)]
        if made and choice != SEQUENCE:
            made = [made[number] for number in _drawn(count, choice).tolist()]
        self._keys: Sequence[bytes | None] = made or [None]
        self.hashes = hashes_of(self._keys)  # of the key of the value 0, 1, ...

    def of(self, value: int) -> bytes | None:
        return self._keys[value % len(self._keys)]

    def messages(self, values: Sequence[int], contents: Sequence[bytes]) -> list[dict[str, Any]]:
        """As a client library is handed the records of these values."""
        if self._keys[0] is None:
            return [{"value": content} for content in contents]
        records = zip(map(self.of, values), contents, strict=True)
        return [{"key": key, "value": content} for key, content in records]


def _drawn(count: int, choice: str) -> Numbers:
    """Numbers of keys, from 0 on, the same ones each time."""
    chances = np.ones(count) if choice == UNIFORM else 1 / np.arange(1, count + 1)
    drawing = np.random.default_rng(SEED)
    return drawing.choice(count, size=max(DRAWN, 2 * count), p=chances / chances.sum())


def require_keys(count: object) -> None:
    """Raises UsageError for what is no number of them."""
    if type(count) is not int or not 0 <= count <= MOST_KEYS:
        raise UsageError(f"expected 0 to {MOST_KEYS} keys, saw {count!r:.120}")


def hash_of(key: bytes | None) -> int:
    return NO_KEY if key is None else zlib.crc32(key)


def hashes_of(keys: Sequence[bytes | None]) -> Numbers:
    """The same of many, most of which have none or all have one."""
    if keys.count(None) == len(keys):
        return np.full(len(keys), NO_KEY, np.int64)
    return np.array(list(map(hash_of, keys)), np.int64)
