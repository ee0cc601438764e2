"""What the clients saw, kept in memory and written out in columns every second.

An operation is one row once it has ended. Those still open when a part is written get a row with
the outcome `invoked`, which their later row supersedes: a run killed at any moment still knows
which records may have been written.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.record.files import write_parquet
from highwater.harness.record.sends import Sends
from highwater.harness.tables import HISTORY, history_table


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
        self._readings: Counter[str] = Counter()
        self.clients: list[Mapping[str, object]] = []  # rows of `clients` that wait to be written

    def promised(self, client: str, role: str, **settings: object) -> None:
        """What a client is set to (columns of `clients`), before it does anything."""
        self.clients.append({"client": client, "role": role, **settings})

    def reader(self, name: str, **settings: object) -> str:
        """The name for a consumer that begins to read; a second one has another, for it may begin
        where the first one has been. The settings are those of `promised`.
        """
        with self._lock:
            self._readings[name] += 1
            before = self._readings[name] - 1
        unique = f"{name}-{before + 1}" if before else name
        self.promised(unique, "consumer", **settings)
        return unique

    def sends(self, client: str, where: TopicPartition, acks: str, values: range) -> Sends:
        """A place for what one client is about to send: the records `values`."""
        sends = Sends(client, where, acks, values)
        self._sends.append(sends)
        return sends

    def saw(
        self, client: str, where: TopicPartition, offset: int, identity: tuple[int | None, int]
    ) -> None:
        """A consumer was handed a record; `identity` is (value, checksum)."""
        now_ns = time.monotonic_ns()
        self._append(client, "poll", where, (offset, *identity), (now_ns, now_ns))

    def reached_end(
        self, client: str, where: TopicPartition, position: int, began_ns: int | None = None
    ) -> None:
        """A consumer has read everything below `position`, which was the log's end.

        `began_ns` is when it began to read, by the clock of `time.monotonic_ns`.
        """
        now_ns = time.monotonic_ns()
        times_ns = (now_ns if began_ns is None else began_ns, now_ns)
        self._append(client, "end", where, (position, None, None), times_ns)

    def stalled(self, client: str, where: TopicPartition, position: int, began_ns: int) -> None:
        """A consumer got to `position`, below the high watermark, and no further in its time."""
        now_ns = time.monotonic_ns()
        self._append(client, "stall", where, (position, None, None), (began_ns, now_ns))

    def flush(self) -> None:
        """Write everything since the last part as a new one; does nothing when there is none.

        Raises OSError when the part cannot be written; nothing is lost then, and a later call
        writes it all.
        """
        with self._lock:
            seen = self._seen[:]
            sent = [(sends, *sends.table(self._origin_ns)) for sends in self._sends]
            tables = [table for _, table, _ in sent] + [self._seen_table(seen)]
            whole = pa.concat_tables(tables)
            if len(whole):
                part = self._directory / f"part-{next(self._parts):06d}.parquet"
                write_parquet(part, whole)
            del self._seen[: len(seen)]
            for sends, _, ended in sent:
                if sends.wrote(ended):
                    self._sends.remove(sends)

    def _append(
        self,
        client: str,
        action: str,
        where: TopicPartition,
        record: tuple[int, int | None, int | None],  # offset, value, checksum
        times_ns: tuple[int, int],
    ) -> None:
        op = 2 * next(self._numbers) + 1
        invoked_ns, completed_ns = (each - self._origin_ns for each in times_ns)
        place = (where.topic, where.partition)
        self._seen.append((op, client, action, *place, *record, invoked_ns, completed_ns))

    @staticmethod
    def _seen_table(rows: Sequence[tuple[object, ...]]) -> pa.Table:
        if not rows:
            return HISTORY.empty_table()
        known = ("op", "client", "action", "topic", "partition", "offset", "value", "checksum")
        names = (*known, "invoked_ns", "completed_ns")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        shared = {"outcome": Outcome.OK.value, "acks": None, "error": None}
        return history_table(columns, shared, len(rows))
