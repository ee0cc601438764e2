"""What the clients saw, kept in memory and written out in columns every second.

An operation is one row once it has ended. Those still open when a part is written get a row with
the outcome `invoked`, which their later row supersedes: a run killed at any moment still knows
which records may have been written.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.record.files import write_parquet
from highwater.harness.tables import HISTORY

Columns = Mapping[str, Sequence[Any]]


class Sends:
    """The sends of one client to one partition; a value names a send, and is used once in a run.

    Made for many records a second: what all of them share is kept once.
    """

    def __init__(self, client: str, where: TopicPartition, acks: str, origin_ns: int) -> None:
        self._shared = {
            "client": client,
            "action": "send",
            "topic": where.topic,
            "partition": where.partition,
            "acks": acks,
        }
        self._origin_ns = origin_ns
        self._open: dict[int, tuple[int, int]] = {}  # value -> checksum, invoked at
        self._ended: list[tuple[Any, ...]] = []

    def invoke(self, value: int, checksum: int) -> None:
        """The record `value` is about to be handed to the producer."""
        self._open[value] = (checksum, time.monotonic_ns())

    def end(self, value: int, outcome: Outcome, offset: int | None, error: str | None) -> None:
        """The producer was told how the send of `value` ended."""
        checksum, invoked_ns = self._open[value]
        row = (value, outcome, offset, checksum, invoked_ns, time.monotonic_ns(), error)
        self._ended.append(row)
        del self._open[value]  # only now: a flush in between finds it open, ended or both

    def table(self) -> tuple[pa.Table, int]:
        """Rows of what is open and what has ended, and how many have ended."""
        # What ends between the two copies is in both, and the later row supersedes.
        still_open = self._open.copy()
        ended = self._ended[:]
        rows: list[tuple[Any, ...]] = [
            (value, Outcome.INVOKED, None, checksum, invoked_ns, None, None)
            for value, (checksum, invoked_ns) in still_open.items()
        ] + ended
        if not rows:
            return HISTORY.empty_table(), 0
        origin_ns = self._origin_ns
        columns: Columns = {  # a pass for each column: zip(*rows) takes several times as long
            "op": [2 * row[0] for row in rows],
            "value": [row[0] for row in rows],
            "outcome": [row[1] for row in rows],
            "offset": [row[2] for row in rows],
            "checksum": [row[3] for row in rows],
            "invoked_ns": [row[4] - origin_ns for row in rows],
            "completed_ns": [None if row[5] is None else row[5] - origin_ns for row in rows],
            "error": [row[6] for row in rows],
        }
        return _table(columns, self._shared, len(rows)), len(ended)

    def forget(self, ended: int) -> None:
        """Drop the oldest rows that have ended: they are on the disk."""
        del self._ended[:ended]


class History:
    """Appends operations; safe for many client threads and one flushing thread.

    Operation numbers are even for sends and odd for everything else.
    """

    def __init__(self, directory: Path, origin_ns: int) -> None:
        self._directory = directory
        self._origin_ns = origin_ns
        self._numbers = itertools.count()
        self._parts = itertools.count()
        self._lock = threading.Lock()
        self._sends: list[Sends] = []
        self._seen: list[tuple[object, ...]] = []

    def sends(self, client: str, where: TopicPartition, acks: str) -> Sends:
        """A place for the sends of one client."""
        sends = Sends(client, where, acks, self._origin_ns)
        self._sends.append(sends)
        return sends

    def saw(
        self, client: str, where: TopicPartition, offset: int, identity: tuple[int | None, int]
    ) -> None:
        """A consumer was handed a record; `identity` is (value, checksum)."""
        self._append(client, "poll", where, offset, identity)

    def reached_end(self, client: str, where: TopicPartition, position: int) -> None:
        """A consumer has read everything below `position`, which was the log's end."""
        self._append(client, "end", where, position, (None, None))

    def flush(self) -> None:
        """Write everything since the last part as a new one; does nothing when there is none.

        Raises OSError when the part cannot be written; nothing is lost then, and a later call
        writes it all.
        """
        with self._lock:
            seen = self._seen[:]
            sent = [(sends, *sends.table()) for sends in self._sends]
            tables = [table for _, table, _ in sent] + [self._seen_table(seen)]
            whole = pa.concat_tables(tables)
            if len(whole):
                part = self._directory / f"part-{next(self._parts):06d}.parquet"
                write_parquet(part, whole)
            del self._seen[: len(seen)]
            for sends, _, ended in sent:
                sends.forget(ended)

    def _append(
        self,
        client: str,
        action: str,
        where: TopicPartition,
        offset: int,
        identity: tuple[int | None, int | None],
    ) -> None:
        op = 2 * next(self._numbers) + 1
        now_ns = time.monotonic_ns() - self._origin_ns
        self._seen.append(
            (op, client, action, where.topic, where.partition, offset, *identity, now_ns, now_ns)
        )

    @staticmethod
    def _seen_table(rows: Sequence[tuple[object, ...]]) -> pa.Table:
        if not rows:
            return HISTORY.empty_table()
        known = ("op", "client", "action", "topic", "partition", "offset", "value", "checksum")
        names = (*known, "invoked_ns", "completed_ns")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        shared = {"outcome": Outcome.OK.value, "acks": None, "error": None}
        return _table(columns, shared, len(rows))


def _table(columns: Columns, shared: Mapping[str, object], rows: int) -> pa.Table:
    arrays = [
        pa.array(columns[field.name], type=field.type)
        if field.name in columns
        else pa.repeat(pa.scalar(shared[field.name], type=field.type), rows)
        for field in HISTORY
    ]
    return pa.Table.from_arrays(arrays, schema=HISTORY)
