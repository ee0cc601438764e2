"""What the clients saw, kept in memory and written out in columns every second.

An operation is one row once it has ended. Those still open when a part is written get a row with
the outcome `invoked`, which their later row supersedes: a run killed at any moment still knows
which records may have been written.
"""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path

import pyarrow as pa

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.record.files import write_parquet
from highwater.harness.tables import HISTORY

# The columns of an operation that are known when it is invoked.
Invocation = tuple[str, str, str, int, int | None, int | None, str | None, int]


class History:
    """Appends operations; safe for many client threads and one flushing thread."""

    def __init__(self, directory: Path, origin_ns: int) -> None:
        self._directory = directory
        self._origin_ns = origin_ns
        self._ops = itertools.count()
        self._parts = itertools.count()
        self._lock = threading.Lock()
        self._open: dict[int, Invocation] = {}
        self._ended: list[tuple[object, ...]] = []

    def invoke_send(
        self, client: str, where: TopicPartition, identity: tuple[int, int], acks: str
    ) -> int:
        """A record is about to be handed to the producer; `identity` is (value, checksum).

        Returns the operation's number, to be given to `end_send`.
        """
        op = next(self._ops)
        now_ns = time.monotonic_ns() - self._origin_ns
        value, checksum = identity
        self._open[op] = (
            client, "send", where.topic, where.partition, value, checksum, acks, now_ns,
        )  # fmt: skip
        return op

    def end_send(self, op: int, outcome: Outcome, offset: int | None, error: str | None) -> None:
        """The producer was told how the send ended."""
        client, action, topic, partition, value, checksum, acks, invoked_ns = self._open[op]
        now_ns = time.monotonic_ns() - self._origin_ns
        self._ended.append(
            (
                op, client, action, outcome.value, topic, partition, offset, value, checksum,
                acks, invoked_ns, now_ns, error,
            )
        )  # fmt: skip
        del self._open[op]  # only now: a flush in between finds it open, ended or both

    def saw(
        self, client: str, where: TopicPartition, offset: int, identity: tuple[int | None, int]
    ) -> None:
        """A consumer was handed a record."""
        now_ns = time.monotonic_ns() - self._origin_ns
        value, checksum = identity
        self._ended.append(
            (
                next(self._ops), client, "poll", "ok", where.topic, where.partition, offset,
                value, checksum, None, now_ns, now_ns, None,
            )
        )  # fmt: skip

    def reached_end(self, client: str, where: TopicPartition, position: int) -> None:
        """A consumer has read everything below `position`, which was the log's end."""
        now_ns = time.monotonic_ns() - self._origin_ns
        self._ended.append(
            (
                next(self._ops), client, "end", "ok", where.topic, where.partition, position,
                None, None, None, now_ns, now_ns, None,
            )
        )  # fmt: skip

    def flush(self) -> None:
        """Write everything since the last part as a new one; does nothing when there is none.

        Raises OSError when the part cannot be written; nothing is lost then, and a later call
        writes it all.
        """
        with self._lock:
            # Clients append meanwhile: copy, and delete what was copied once it is on the disk.
            # What ends between the two copies is in both, and the later row supersedes.
            still_open = self._open.copy()
            ended = self._ended[:]
            rows = [_invoked_row(op, opened) for op, opened in still_open.items()] + ended
            if rows:
                columns = [
                    pa.array(column, type=field.type)
                    for column, field in zip(zip(*rows, strict=True), HISTORY, strict=True)
                ]
                part = self._directory / f"part-{next(self._parts):06d}.parquet"
                write_parquet(part, pa.Table.from_arrays(columns, schema=HISTORY))
            del self._ended[: len(ended)]


def _invoked_row(op: int, invocation: Invocation) -> tuple[object, ...]:
    client, action, topic, partition, value, checksum, acks, invoked_ns = invocation
    return (
        op, client, action, Outcome.INVOKED.value, topic, partition, None, value, checksum,
        acks, invoked_ns, None, None,
    )  # fmt: skip
