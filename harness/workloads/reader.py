"""Reads what is committed in a partition, from its beginning on, and records every record seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Assigned

from highwater.harness.complaints import Complaints
from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.record.history import History
from highwater.harness.wait import wait_until
from highwater.harness.workloads import payload

SETTINGS: Mapping[str, Any] = {
    "log_level": 0,
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
    "fetch.error.backoff.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "check.crcs": True,
}
CLIENT_ID = "highwater-reader"
BATCH_RECORDS = 5_000


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader reads from, and where it records what it saw."""

    bootstrap: str
    history: History
    note: Callable[[str], None]  # is told what has no row in the history: what went wrong


def read_to_end(source: Source, where: TopicPartition, timeout_s: float = 30.0) -> int:
    """Read everything below the leader's high watermark; returns that offset.

    The caller has seen to it that the high watermark is the log's end on every replica: a reader
    is bounded by it, and right after an election it may still be an old one.
    Raises DeadlineError when it gets no further for so long; what was read is recorded.
    """
    position, end = read_or_stall(source, where, timeout_s)
    if position < end:
        raise DeadlineError(
            f"waited {timeout_s:.1f} s to read on in {where} to offset {end}; got to {position}"
        )
    return position


def read_or_stall(source: Source, where: TopicPartition, timeout_s: float) -> tuple[int, int]:
    """Read towards the leader's high watermark as it is now; returns the position and it.

    Not to have got any further for `timeout_s` is recorded as well: the reader has stalled.
    """
    history = source.history
    with _reading("reader", source, where) as reading:
        end = wait_until(reading.watermarks, f"the high watermark of {where}")[1]
        position, deadline_s = 0, time.monotonic() + timeout_s
        while reading.position < end and left_s(deadline_s - time.monotonic()) > 0:
            reading.some()
            if reading.position > position:
                position, deadline_s = reading.position, time.monotonic() + timeout_s
    reading.ended(history.reached_end if reading.position >= end else history.stalled)
    return reading.position, end


def read_from_rack(
    source: Source, where: TopicPartition, rack: str, timeout_s: float = 10.0
) -> int:
    """Read from the replica in `rack` (KIP-392), up to where it says that the end is.

    Raises DeadlineError when it does not say so in time; what was read is recorded.
    """
    deadline_s = time.monotonic() + timeout_s
    with _reading(f"reader-in-{rack}", source, where, rack) as reading:
        while not reading.is_at_end:
            if left_s(deadline_s - time.monotonic()) <= 0:
                raise DeadlineError(
                    f"waited {timeout_s:.1f} s for the end of {where} in the rack {rack}; "
                    f"got to {reading.position}"
                )
            reading.some()
    reading.ended(source.history.reached_end)
    return reading.position


class _Reading:
    """One reader on its way through a partition."""

    def __init__(
        self, name: str, consumer: Consumer, source: Source, where: TopicPartition
    ) -> None:
        self._name = source.history.reader(
            name, client_id=CLIENT_ID, isolation=SETTINGS["isolation.level"], begins_at="earliest"
        )
        self._consumer = consumer
        self._history = source.history
        self._where = where
        self._began_ns = time.monotonic_ns()
        # Moves over what no reader is handed as well: transaction markers and aborted records.
        self.position = 0
        self.is_at_end = False  # by what the broker answered last
        self.complaints = Complaints(self._name, source.note)

    def some(self) -> None:
        """Record what comes next, if anything does within a moment.

        Raises InfrastructureError for what ends the consumer.
        """
        try:
            messages = self._consumer.consume(BATCH_RECORDS, timeout=0.2)
        except KafkaException as error:
            raise InfrastructureError(f"{self._name} cannot read {self._where}: {error}") from error
        for message in messages:
            self._take(message)

    def _take(self, message: Message) -> None:
        offset, error = message.offset(), message.error()
        if error is None and offset is not None:
            content = message.value() or b""
            seen = payload.examine(content)
            self._history.saw(self._name, self._where, offset, seen)
            self.position, self.is_at_end = offset + 1, False
        elif error is None:
            self.complaints.add("a record without an offset")
        elif error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - the library's name
            # A checksum that is wrong among them: _BAD_MSG.
            self.complaints.add(f"{error.name()}: {error.str()} (at offset {offset})")
        elif offset is not None:
            self.position, self.is_at_end = offset, True

    def watermarks(self) -> tuple[int, int]:
        """The log start, if known, and the high watermark, as fetches have brought them.

        Raises LookupError before the first. (To ask for offsets outright would bring the last
        stable offset: as far as this reader can see, not as far as it should.)
        """
        partition = Assigned(self._where.topic, self._where.partition)
        offsets = self._consumer.get_watermark_offsets(partition, cached=True)
        if offsets is None or offsets[1] < 0:
            raise LookupError("no answer to a fetch yet")
        return offsets

    def ended(self, note_end: Callable[[str, TopicPartition, int, int], None]) -> None:
        note_end(self._name, self._where, self.position, self._began_ns)


@contextmanager
def _reading(
    name: str, source: Source, where: TopicPartition, rack: str = ""
) -> Generator[_Reading]:
    named = {
        "bootstrap.servers": source.bootstrap,
        "group.id": f"reader-of-{where}",
        "client.id": CLIENT_ID,
        "client.rack": rack,
    }
    consumer = Consumer({**SETTINGS, **named})
    with closing(consumer):
        consumer.assign([Assigned(where.topic, where.partition, 0)])
        reading = _Reading(name, consumer, source, where)
        with closing(reading.complaints):
            yield reading
