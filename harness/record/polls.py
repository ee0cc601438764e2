"""What one consumer is handed of one partition, in columns made for many records a second."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.tables import NO_KEY, history_table

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


class Odd:
    """Numbers of operations that are no sends: odd ones, each of them once; for many threads."""

    def __init__(self, start: int) -> None:
        self._next = 2 * start + 1
        self._lock = threading.Lock()

    def take(self, count: int = 1) -> range:
        """So many that follow upon each other."""
        with self._lock:
            taken = range(self._next, self._next + 2 * count, 2)
            self._next = taken.stop
        return taken


class Polls:
    """Rows are appended by one thread, and written by another one meanwhile.

    A row's clock reading is stored last: a row that has one is whole. `numbers` are of operations.
    """

    def __init__(self, client: str, where: TopicPartition, numbers: Odd) -> None:
        self._shared = {
            "client": client,
            "action": "poll",
            "outcome": Outcome.OK.value,
            "topic": where.told_as,
            "partition": where.partition,
            "acks": None,
            "error": None,
        }
        self._numbers = numbers
        self._ops = array("q")
        self._offsets = array("q")
        self._values = array("q")
        self._checksums = array("q")
        self._keys = array("q")
        self._foreign = bytearray()  # 1 where there is no value
        self._transactions = array("q")  # empty where nothing is handed out in one
        self._transaction: int | None = None
        self._at_ns = array("q")

    def within(self, transaction: int) -> None:
        """What is handed out from now on belongs to it; said before the first record, or never."""
        self._transaction = transaction

    def append(
        self, offset: int, identity: tuple[int | None, int], at_ns: int, key: int = NO_KEY
    ) -> None:
        """A record was handed out; a payload that is not ours has no value."""
        value, checksum = identity
        self._ops.append(self._numbers.take()[0])
        self._offsets.append(offset)
        self._values.append(0 if value is None else value)
        self._checksums.append(checksum)
        self._keys.append(key)
        self._foreign.append(value is None)
        if self._transaction is not None:
            self._transactions.append(self._transaction)
        self._at_ns.append(at_ns)

    def extend(
        self,
        offsets: Sequence[int],
        seen: tuple[Numbers, Flags, Numbers],
        keys: Numbers,
        at_ns: int,
    ) -> None:
        """Records were handed out at once; `seen` is their values, which have none, and checksums.

        Another thread may write meanwhile: each column grows by all of them, or has not yet.
        """
        values, foreign, checksums = seen
        ops = self._numbers.take(len(offsets))
        self._ops.frombytes(np.arange(ops.start, ops.stop, ops.step, dtype=np.int64).tobytes())
        self._offsets.extend(array("q", offsets))
        self._values.frombytes(values.tobytes())
        self._checksums.frombytes(checksums.tobytes())
        self._keys.frombytes(keys.tobytes())
        self._foreign.extend(foreign.tobytes())
        if self._transaction is not None:
            self._transactions.extend(array("q", [self._transaction]) * len(offsets))
        self._at_ns.extend(array("q", [at_ns]) * len(offsets))

    def table(self, origin_ns: int) -> pa.Table:
        """Whole rows; they stay until `wrote`."""
        rows = len(self._at_ns)
        # Copies: an array that somebody looks into cannot grow.
        at_ns = pa.array(np.frombuffer(self._at_ns[:rows], np.int64) - origin_ns)
        foreign = np.frombuffer(self._foreign[:rows], np.uint8).astype(bool)
        columns = {
            "op": pa.array(np.frombuffer(self._ops[:rows], np.int64)),
            "offset": pa.array(np.frombuffer(self._offsets[:rows], np.int64)),
            "value": pa.array(np.frombuffer(self._values[:rows], np.int64), mask=foreign),
            "checksum": pa.array(np.frombuffer(self._checksums[:rows], np.int64)),
            "key": pa.array(np.frombuffer(self._keys[:rows], np.int64)),
            "invoked_ns": at_ns,
            "completed_ns": at_ns,
        }
        if self._transactions:
            transactions = np.frombuffer(self._transactions[:rows], np.int64)
            columns["transaction"] = pa.array(transactions)
        return history_table(columns, self._shared, rows)

    def wrote(self, rows: int) -> None:
        """So many of the first rows are on the disk."""
        numbers = (self._ops, self._offsets, self._values, self._checksums, self._keys)
        for column in (*numbers, self._at_ns):
            del column[:rows]
        del self._foreign[:rows]
        del self._transactions[:rows]
