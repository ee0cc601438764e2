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

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.model import ByKey, Outcome, TopicPartition
from highwater.harness.record.files import write_parquet
from highwater.harness.record.journal import HARNESS, SUFFIX, Journal, prefix_of
from highwater.harness.record.polls import Odd, Polls
from highwater.harness.record.sends import Sends
from highwater.harness.record.sent import sent_tables
from highwater.harness.tables import HISTORY, NO_KEY, history_table

OPERATIONS_BITS = 40  # of the number of an operation: which one of its author's it is


class History:
    """Appends operations; safe for many client threads and one flushing thread.

    Operation numbers are even for sends and odd for everything else. A process that writes into
    the record of another one is an `author` of its own, with a `number` of its own: its parts and
    its operations have names and numbers that nobody else has.
    """

    def __init__(
        self, directory: Path, origin_ns: int, author: str = HARNESS, number: int = 0
    ) -> None:
        self._directory = directory
        self._origin_ns = origin_ns
        self._prefix = prefix_of(author)
        self._journal = Journal(directory / f"{author}{SUFFIX}")
        self._numbers = Odd(number << OPERATIONS_BITS)
        self._parts = itertools.count()
        self._lock = threading.Lock()
        self._sends: list[Sends] = []
        self._polls: dict[tuple[str, TopicPartition], Polls] = {}
        self._reached: list[tuple[object, ...]] = []
        self._closed: set[str] = set()  # topics
        self.foreign: set[str] = set()  # topics to which applications send, and nobody else
        # How records look of topics, by their names in Kafka; None: ours as a whole, as of others.
        self.patterns: dict[str, Mapping[str, object] | None] = {}
        self._readings: Counter[str] = Counter()
        self.clients: list[Mapping[str, object]] = []  # rows of `clients` that wait to be written

    def promised(self, client: str, role: str, **settings: object) -> None:
        """What a client is set to (columns of `clients`), before it does anything."""
        self.clients.append({"client": client, "role": role, **settings})

    def reader(self, name: str, at_ns: int | None = None, **settings: object) -> str:
        """The name for a consumer that begins to read; a second one has another, for it may begin
        where the first one has been, and no client can be called so. The settings are those of
        `promised`; it began at that time by the clock of `time.monotonic_ns`, or just now.
        """
        with self._lock:
            self._readings[name] += 1
            before = self._readings[name] - 1
        unique = f"{name}#{before + 1}" if before else name
        began_ns = (time.monotonic_ns() if at_ns is None else at_ns) - self._origin_ns
        self.promised(unique, "consumer", began_ns=began_ns, **settings)
        return unique

    def sends(self, client: str, where: TopicPartition | ByKey, acks: str, values: range) -> Sends:
        """A place for what one client is about to send: the records `values`."""
        self.require_sendable(where)
        sends = Sends(client, where, acks, values, self._intends)
        self._sends.append(sends)
        return sends

    def require_sendable(self, where: TopicPartition | ByKey) -> None:
        """Raises UsageError for a topic that was deleted, or is an application's own."""
        self._require_open(where)
        if where.told_as in self.foreign:
            raise UsageError(f"an application sends to {where.topic}: expected nobody else to")

    def polls(self, client: str, where: TopicPartition) -> Polls:
        """A place for what one consumer is handed of a partition."""
        self._require_open(where)
        found = self._polls.get((client, where))
        if found is None:
            with self._lock:  # `flush` goes through them
                found = self._polls[client, where] = Polls(client, where, self._numbers)
        return found

    def waiting(self, topic: str) -> int:
        """How many records that were sent to it have no outcome yet."""
        with self._lock:
            return sum(sends.waiting for sends in self._sends if sends.topic == topic)

    def close_topic(self, topic: str) -> None:
        """Nobody sends to it, or reads from it, any more: it is going to be deleted."""
        self._closed.add(topic)

    def _require_open(self, where: TopicPartition | ByKey) -> None:
        if where.told_as in self._closed:
            raise UsageError(f"{where.told_as} was deleted: nobody sends to it, or reads from it")

    def saw(
        self,
        client: str,
        where: TopicPartition,
        offset: int,
        identity: tuple[int | None, int],
        key: int = NO_KEY,
    ) -> None:
        """A consumer was handed a record just now; `identity` is (value, checksum)."""
        self.polls(client, where).append(offset, identity, time.monotonic_ns(), key)

    def reached_end(
        self, client: str, where: TopicPartition, position: int, began_ns: int | None = None
    ) -> None:
        """A consumer has read everything below `position`, which was the log's end.

        `began_ns` is when it began to read, by the clock of `time.monotonic_ns`.
        """
        now_ns = time.monotonic_ns()
        times_ns = (now_ns if began_ns is None else began_ns, now_ns)
        self._append(client, "end", where, position, times_ns)

    def stalled(self, client: str, where: TopicPartition, position: int, began_ns: int) -> None:
        """A consumer got to `position`, below the high watermark, and no further in its time."""
        now_ns = time.monotonic_ns()
        self._append(client, "stall", where, position, (began_ns, now_ns))

    def close(self) -> None:
        """Write what is still in memory; raises as `flush` does."""
        self.flush()
        self._journal.close()

    def flush(self) -> None:
        """Write everything since the last part as a new one; does nothing when there is none.

        Raises OSError when the part cannot be written; nothing is lost then, and a later call
        writes it all.
        """
        with self._lock:
            reached = self._reached[:]
            # Sends first: of what a part has as sent it has everything that it was made of.
            sent = [(sends, sends.tell()) for sends in self._sends]
            polled = [(polls, polls.table(self._origin_ns)) for polls in self._polls.values()]
            tables = sent_tables([told for _, told in sent], self._origin_ns)
            tables += [table for _, table in polled]
            whole = pa.concat_tables([*tables, self._reached_table(reached)])
            if len(whole):
                part = self._directory / f"{self._prefix}{next(self._parts):06d}.parquet"
                write_parquet(part, whole)
            del self._reached[: len(reached)]
            for polls, table in polled:
                polls.wrote(len(table))
            left = [sends for sends, told in sent if not sends.wrote(told.ended)]
            self._sends[: len(sent)] = left

    def _intends(self, shared: Mapping[str, object], values: range, invoked_ns: int) -> None:
        """Nothing is sent that is not on the disk before: who is killed takes its memory along."""
        try:
            self._journal.intends(shared, values, invoked_ns - self._origin_ns)
        except OSError as error:
            raise InfrastructureError(
                f"expected to write down what is about to be sent, and could not: {error}; it was "
                "not sent"
            ) from error

    def _append(
        self,
        client: str,
        action: str,
        where: TopicPartition,
        position: int,
        times_ns: tuple[int, int],
    ) -> None:
        invoked_ns, completed_ns = (each - self._origin_ns for each in times_ns)
        place = (where.told_as, where.partition, position)
        row = (self._numbers.take()[0], client, action, *place, invoked_ns, completed_ns)
        self._reached.append(row)

    @staticmethod
    def _reached_table(rows: Sequence[tuple[object, ...]]) -> pa.Table:
        if not rows:
            return HISTORY.empty_table()
        names = ("op", "client", "action", "topic", "partition", "offset")
        known = (*names, "invoked_ns", "completed_ns")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(known)}
        nothing = dict.fromkeys(("value", "checksum", "acks", "error"))
        return history_table(columns, {**nothing, "outcome": Outcome.OK.value}, len(rows))
