"""What replicas have in their logs, in columns made for millions of records.

Nearly all entries of a follower's log are those of its leader's, byte for byte: what the replicas
of a partition have at one offset is looked into once.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from crc32c import crc32c

from highwater.harness.model import TopicPartition
from highwater.harness.probes.alike import Alike
from highwater.harness.probes.batch_format import Record, headers_in
from highwater.harness.probes.records import Stretch, stretches_of
from highwater.harness.probes.segments import Entry
from highwater.harness.tables import REPLICA_LOGS
from highwater.harness.workloads import payload
from highwater.harness.workloads.examining import examine_all
from highwater.harness.workloads.keys import hash_of, hashes_of
from highwater.harness.workloads.pattern import Marking, Markings, Patterns, examined_one

SHARED = (  # by all records of a stretch
    "broker", "topic", "partition", "leader_epoch", "is_control", "magic", "segment", "position",
    "problem",
)  # fmt: skip
SIGN = 1 << 63
NOTHING: tuple[None, int] = (None, 0)  # what a record without content has for identity and checksum
NO_ENTRY: tuple[bytes, Marking | None] = (b"", None)

Examine = Callable[[Record], tuple[int | None, int]]


class _Told(NamedTuple):
    """A stretch of the last entry, and where its rows are."""

    stretch: Stretch
    rows: slice


class Logs:
    """Rows of `replica_logs` that wait to be written."""

    def __init__(self, patterns: Patterns) -> None:
        self._markings = Markings(patterns)
        self._clear()

    def _clear(self) -> None:
        self._lengths = array("q")
        self._shared: dict[str, list[Any]] = {name: [] for name in SHARED}
        self._offsets, self._values, self._checksums = (array("q") for _ in range(3))
        self._digests, self._keys = array("q"), array("q")
        self._foreign, self._without = bytearray(), bytearray()  # 1: no value, no checksum
        self._last, self._told = NO_ENTRY, list[_Told]()  # the last entry that was looked into

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, broker: int, where: TopicPartition, entry: Entry) -> None:
        """Records of a replica, or where there are some that cannot be read."""
        marking = self._markings.get(where.topic)
        if entry.data and self._last == (entry.data, marking):
            for told in self._told:
                self._share(broker, where, entry, told.stretch)
                self._again(told.rows)
            return
        self._last, self._told = (entry.data, marking), []
        for stretch in stretches_of(entry, in_columns=marking is None):
            self._share(broker, where, entry, stretch)
            first = len(self)
            if stretch.alike is not None:
                self._add_alike(stretch.alike)
            else:
                examine = payload_of if marking is None else marked_by(marking)
                self._add(_records_of(stretch), examine, is_control=stretch.batch.is_control)
            self._told.append(_Told(stretch, slice(first, len(self))))
            if stretch.problem is not None:  # which names the place in its file
                self._last = NO_ENTRY

    def _share(self, broker: int, where: TopicPartition, entry: Entry, stretch: Stretch) -> None:
        batch = stretch.batch
        told = (
            broker,
            where.told_as,
            where.partition,
            batch.leader_epoch,
            batch.is_control,
            batch.magic,
        )
        row = (*told, entry.path.name, entry.position, stretch.problem)
        for name, each in zip(SHARED, row, strict=True):
            self._shared[name].append(each)

    def _again(self, rows: slice) -> None:
        self._lengths.append(rows.stop - rows.start)
        for column in self._numbers:
            column.extend(column[rows])
        for flags in (self._foreign, self._without):
            flags.extend(flags[rows])

    def _add(self, records: Sequence[Record], examine: Examine, *, is_control: bool) -> None:
        """Column by column: a batch has thousands of records."""
        offsets, _, keys, contents, _ = zip(*records, strict=True)
        self._keys.extend(map(hash_of, keys))
        values, checksums = zip(*map(examine, records), strict=True)
        self._lengths.append(len(records))
        self._offsets.extend(offsets)
        self._values.extend([0 if each is None else each for each in values])
        self._foreign.extend([is_control or each is None for each in values])
        self._checksums.extend(checksums)
        self._without.extend([is_control or each is None for each in contents])
        if is_control or any(keys):
            framed = zip(keys, contents, strict=True)
            checksums = tuple(_framed(*each, is_control=is_control) for each in framed)
        parts = zip(contents, checksums, strict=True)
        self._digests.extend([(crc32c(each or b"") << 32 | low) - SIGN for each, low in parts])

    def _add_alike(self, alike: Alike) -> None:
        """The same of many records at once."""
        count, (values, foreign, checksums) = len(alike.values), examine_all(alike.values)
        self._lengths.append(count)
        framed = checksums
        if any(alike.keys):
            records = zip(alike.keys, alike.values, strict=True)
            framed = np.array([_framed(*each, is_control=False) for each in records], np.int64)
        digests = np.array(list(map(crc32c, alike.values)), np.int64) << 32 | framed
        columns = (alike.offsets, values, checksums, digests ^ -SIGN, hashes_of(alike.keys))
        for own, column in zip(self._numbers, columns, strict=True):
            own.frombytes(column.tobytes())
        self._foreign.extend(foreign.tobytes())
        self._without.extend(bytes(count))

    @property
    def _numbers(self) -> tuple[array[int], ...]:
        return self._offsets, self._values, self._checksums, self._digests, self._keys

    def take(self) -> pa.Table:
        """All rows; from now on there are none."""
        rows = np.repeat(np.arange(len(self._lengths)), np.frombuffer(self._lengths, np.int64))
        columns = {
            "offset": _numbers(self._offsets),
            "value": _numbers(self._values, self._foreign),
            "checksum": _numbers(self._checksums, self._without),
            "digest": _numbers(self._digests),
            "key": _numbers(self._keys, self._without),
        }
        for name, each in self._shared.items():
            columns[name] = pa.array(each, REPLICA_LOGS.field(name).type).take(pa.array(rows))
        self._clear()
        return pa.Table.from_arrays(
            [columns[name] for name in REPLICA_LOGS.names], schema=REPLICA_LOGS
        )


def _records_of(stretch: Stretch) -> Sequence[Record]:
    if stretch.problem is None:
        return stretch.records
    return (Record(stretch.offset, None, None, None),)


def payload_of(record: Record) -> tuple[int | None, int]:
    """Its identity and its checksum, where it is ours as a whole."""
    return NOTHING if record.value is None else payload.examine(record.value)


def marked_by(marking: Marking) -> Examine:
    """The same where its topic has a pattern."""

    def examine(record: Record) -> tuple[int | None, int]:
        if record.value is None:
            return NOTHING
        mark = marking.mark(record.key, record.value, headers_in(record.headers))
        return examined_one(mark, record.value)

    return examine


def _framed(key: bytes | None, content: bytes | None, *, is_control: bool) -> int:
    """A checksum of a record and its key, which is that of the record alone where it has none."""
    if not key and not is_control:
        return zlib.crc32(content or b"")
    before = b"%d:%d:" % (is_control, len(key or b"")) + (key or b"")
    return zlib.crc32(content or b"", zlib.crc32(before, crc32c(before)))


def _numbers(column: array[int], absent: bytearray | None = None) -> pa.Array:
    mask = None if absent is None else np.frombuffer(absent, np.uint8).astype(bool)
    return pa.array(np.frombuffer(column, np.int64), mask=mask)
