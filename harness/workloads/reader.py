"""Reads what is committed in partitions, from their beginnings on, and records what is seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, Message
from confluent_kafka import TopicPartition as Assigned

from highwater.harness.complaints import Complaints
from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.record.history import History
from highwater.harness.tables import FINAL_READER
from highwater.harness.wait import wait_until
from highwater.harness.workloads.handed import NO_OFFSET, Records, sorted_out
from highwater.harness.workloads.pattern import Markings
from highwater.harness.workloads.reaching import reached

SETTINGS: Mapping[str, Any] = {
    "log_level": 0,
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
    # When it has fetched enough for now: after a whole second it has long had too little again.
    "fetch.queue.backoff.ms": 20,
    "fetch.error.backoff.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "check.crcs": True,
}
BATCH_RECORDS = 5_000
AT_FIRST_S = 0.02


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader reads from, and where it records what it saw."""

    bootstrap: str
    history: History
    note: Callable[[str], None]  # is told what has no row in the history: what went wrong
    foreign: frozenset[str] = frozenset()  # topics of the record in which no payload is ours


class Reached(NamedTuple):
    """How far a reader got in a partition: `end` was the high watermark when it began."""

    position: int
    end: int


def read_to_end(
    source: Source, wheres: Sequence[TopicPartition], timeout_s: float = 30.0
) -> dict[TopicPartition, int]:
    """Read everything below the leaders' high watermarks; returns those offsets.

    The caller has seen to it that each high watermark is the log's end on every replica: a reader
    is bounded by it, and right after an election it may still be an old one.
    Raises DeadlineError when it gets no further for so long; what was read is recorded.
    """
    reached = read_or_stall(source, wheres, timeout_s)
    behind = {where: each for where, each in reached.items() if each.position < each.end}
    for where, (position, end) in behind.items():
        more = f" (and {len(behind) - 1} partitions more)" if len(behind) > 1 else ""
        raise DeadlineError(
            f"waited {timeout_s:.1f} s to read on in {where} to offset {end}; got to {position}"
            + more
        )
    return {where: each.position for where, each in reached.items()}


def read_or_stall(
    source: Source, wheres: Sequence[TopicPartition], timeout_s: float
) -> dict[TopicPartition, Reached]:
    """Read towards the leaders' high watermarks as they are now; returns how far it got.

    Not to have got any further for `timeout_s` is recorded as well: the reader has stalled.
    """
    with _reading("reader", source, wheres) as reading:
        named = str(wheres[0]) if len(wheres) == 1 else f"{len(wheres)} partitions"
        ends = wait_until(reading.high_watermarks, f"the high watermark of {named}", interval_s=0)
        got, deadline_s = reading.got(ends), time.monotonic() + timeout_s
        while reading.is_below(ends) and left_s(deadline_s - time.monotonic()) > 0:
            reading.some()
            if reading.got(ends) > got:
                got, deadline_s = reading.got(ends), time.monotonic() + timeout_s
    reached = {where: Reached(reading.positions[where], end) for where, end in ends.items()}
    for where, (position, end) in reached.items():
        reading.ended(where, stalled=position < end)
    return reached


def read_from_rack(
    source: Source, where: TopicPartition, rack: str, timeout_s: float = 10.0
) -> int:
    """Read from the replica in `rack` (KIP-392), up to where it says that the end is.

    Raises DeadlineError when it does not say so in time; what was read is recorded.
    """
    deadline_s = time.monotonic() + timeout_s
    with _reading(f"reader-in-{rack}", source, [where], rack) as reading:
        while where not in reading.at_end:
            if left_s(deadline_s - time.monotonic()) <= 0:
                raise DeadlineError(
                    f"waited {timeout_s:.1f} s for the end of {where} in the rack {rack}; "
                    f"got to {reading.positions[where]}"
                )
            reading.some()
    reading.ended(where, stalled=False)
    return reading.positions[where]


class _Reading:
    """One reader on its way through some partitions, side by side."""

    def __init__(
        self, name: str, consumer: Consumer, source: Source, wheres: Sequence[TopicPartition]
    ) -> None:
        self._name = source.history.reader(
            name,
            client_id=FINAL_READER,
            isolation=SETTINGS["isolation.level"],
            begins_at="earliest",
        )
        self._consumer = consumer
        self._history = source.history
        self._foreign, self._markings = source.foreign, Markings(source.history.patterns)
        self._wheres = {(where.topic, where.partition): where for where in wheres}
        self._began_ns = time.monotonic_ns()
        # They move over what no reader is handed as well: transaction markers and aborted records.
        self.positions = dict.fromkeys(wheres, 0)
        self._highest = dict.fromkeys(wheres, 0)  # of its positions
        self._ends: dict[TopicPartition, int] = {}  # high watermarks, as they were told first
        self.at_end: set[TopicPartition] = set()  # by what the brokers answered last
        self.complaints = Complaints(self._name, source.note)

    def got(self, ends: Mapping[TopicPartition, int]) -> int:
        """Grows whenever a position gets nearer to its end than it has been."""
        return sum(min(end, self._highest[where]) for where, end in ends.items())

    def is_below(self, ends: Mapping[TopicPartition, int]) -> bool:
        """Whether any position has still to reach the end."""
        return any(self.positions[where] < end for where, end in ends.items())

    def some(self, timeout_s: float = 0.2) -> None:
        """Record what comes next, if anything does within a moment.

        Raises InfrastructureError for what ends the consumer.
        """
        try:
            messages = self._consumer.consume(BATCH_RECORDS, timeout=timeout_s)
        except KafkaException as error:
            read = ", ".join(map(str, list(self.positions)[:1]))
            raise InfrastructureError(f"{self._name} cannot read {read}: {error}") from error
        now_ns = time.monotonic_ns()  # when all of them were handed out
        handed = sorted_out(messages, self._markings)
        for key, records in handed.records.items():
            self._take(self._wheres[key], records, now_ns)
        for key, offset in handed.ends.items():
            if key in self._wheres:
                self._move(self._wheres[key], offset)
                self.at_end.add(self._wheres[key])
        for message in handed.odd:
            self.complaints.add(_complaint(message))

    def _take(self, where: TopicPartition, records: Records, now_ns: int) -> None:
        polls = self._history.polls(self._name, where)
        seen = records.examined()
        if where.told_as in self._foreign:
            seen = seen.of_others()
        polls.extend(records.offsets, seen, records.key_hashes(), now_ns)
        self._highest[where] = max(self._highest[where], max(records.offsets) + 1)
        self._move(where, records.position)
        self.at_end.discard(where)

    def _move(self, where: TopicPartition, position: int) -> None:
        self.positions[where] = position
        self._highest[where] = max(position, self._highest[where])

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """As the first fetches have brought them; reads on, for nothing fills a full queue.

        Raises LookupError before the first of each. (To ask for offsets outright would bring the
        last stable offset: as far as this reader can see, not as far as it should.)
        """
        self.some(AT_FIRST_S)
        for where in self.positions.keys() - self._ends.keys():
            self._ends[where] = self._high_watermark(where)
        return self._ends

    def _high_watermark(self, where: TopicPartition) -> int:
        partition = Assigned(where.topic, where.partition)
        offsets = self._consumer.get_watermark_offsets(partition, cached=True)
        if offsets is None or offsets[1] < 0:
            raise LookupError(f"no answer to a fetch of {where} yet")
        return int(offsets[1])

    def ended(self, where: TopicPartition, *, stalled: bool) -> None:
        """Record how far it got, and that it gets no further."""
        note_end = self._history.stalled if stalled else self._history.reached_end
        note_end(self._name, where, self.positions[where], self._began_ns)


def _complaint(message: Message) -> str:
    error = message.error()
    if error is None:
        return NO_OFFSET
    # A checksum that is wrong among them: _BAD_MSG.
    return f"{error.name()}: {error.str()} (at offset {message.offset()})"


@contextmanager
def _reading(
    name: str, source: Source, wheres: Sequence[TopicPartition], rack: str = ""
) -> Generator[_Reading]:
    named = {
        **reached(source.bootstrap),
        "group.id": f"reader-of-{wheres[0].topic}",
        "client.id": FINAL_READER,
        "client.rack": rack,
    }
    consumer = Consumer({**SETTINGS, **named})
    with closing(consumer):
        consumer.assign([Assigned(where.topic, where.partition, 0) for where in wheres])
        reading = _Reading(name, consumer, source, wheres)
        with closing(reading.complaints):
            yield reading
