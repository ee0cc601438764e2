"""Keys of records: which one a record is sent with, and how the record of a run has it.

The key of a record follows from its value, whichever way keys are chosen: nothing is kept of each.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from highwater.harness.errors import UsageError
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.record.sends import Sends
from highwater.harness.tables import NO_KEY
from highwater.harness.workloads.hashing import partitions_of

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Produced = dict[str, Any]  # a record as a client library is handed it: key and value

MOST_KEYS = 1_000_000
BY_TURN, BY_KEY = "turn", "key"  # ways to choose partitions
WAYS = (BY_TURN, BY_KEY)
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
        self._partitions: dict[int, Numbers] = {}  # the same, by how many there are

    @property
    def are_there(self) -> bool:
        return self._keys[0] is not None

    def of(self, value: int) -> bytes | None:
        return self._keys[value % len(self._keys)]

    def tell(self, sends: Sends, where: TopicPartition | ByKey) -> None:
        """With which keys these are sent, and to which partitions that lets them go."""
        chosen = self.partitions(where) if isinstance(where, ByKey) else None
        sends.keyed(self.hashes, chosen)

    def partitions(self, where: ByKey) -> Numbers:
        """To which one the record of the value 0, 1, ... goes, until the keys begin anew.

        Raises UsageError where there are no keys to choose by.
        """
        if where.partitions not in self._partitions:
            keys = [key for key in self._keys if key is not None]
            if not keys:
                raise UsageError(
                    f"expected keys to choose partitions of {where.topic} by, saw none"
                )
            self._partitions[where.partitions] = partitions_of(keys, where.partitions)
        return self._partitions[where.partitions]

    def partition_of_each(self, values: range, where: ByKey) -> list[int]:
        """To which one the record of each of these values goes."""
        chosen = self.partitions(where)
        found: list[int] = chosen[np.arange(values.start, values.stop) % len(chosen)].tolist()
        return found

    def messages(self, values: Sequence[int], contents: Sequence[bytes]) -> list[Produced]:
        """As a client library is handed the records of these values."""
        if not self.are_there:
            return [{"value": content} for content in contents]
        records = zip(map(self.of, values), contents, strict=True)
        return [{"key": key, "value": content} for key, content in records]

    def apart(
        self, values: range, contents: Sequence[bytes], where: TopicPartition | ByKey
    ) -> Mapping[int, list[Produced]]:
        """The same by partition; within one of them in order."""
        messages = self.messages(values, contents)
        if isinstance(where, TopicPartition):
            return {where.partition: messages}
        found: dict[int, list[Produced]] = {}
        chosen = self.partition_of_each(values, where)
        for partition, message in zip(chosen, messages, strict=True):
            found.setdefault(partition, []).append(message)
        return found


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
