"""A consumer that stays with one broker, whoever leads.

So does a client that fetches as of KIP-392 and knows nothing of KIP-320: it does not say which
leader epoch it believes in, so the broker cannot tell it that this one is over.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from highwater.harness.complaints import Complaints
from highwater.harness.errors import InfrastructureError, in_words
from highwater.harness.gate.batch_header import read_header
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.probes.batch_format import Record, headers_in, read_batch_records
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.segments import ENTRY_HEADER
from highwater.harness.probes.wire import Wire
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads import payload
from highwater.harness.workloads.keys import hash_of
from highwater.harness.workloads.pattern import Markings, examined_one
from highwater.harness.workloads.reader import Source

NAME = "loyal-reader"
BETWEEN_FETCHES_S = 0.0005
END_TIMEOUT_S = 10.0  # three questions that nobody answers


class LoyalReader(Lifetime):
    """Fetches from `offset` on without a pause, and records what it is handed; for a `with`."""

    def __init__(self, kafka: Kafka, source: Source, where: TopicPartition, offset: int) -> None:
        super().__init__()
        self._probe = ReplicaProbe(kafka, Wire.at(source.bootstrap))
        self._history = source.history
        self._foreign, self._markings = source.foreign, Markings(source.history.patterns)
        self._name = source.history.reader(NAME, isolation="read_committed")
        self._complaints = Complaints(self._name, source.note)
        self._where = where
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=NAME, daemon=True)
        self._failure: Exception | None = None
        self.position = offset

    def _begin(self) -> None:
        self._ending.callback(self._complaints.close)
        self._ending.callback(self._probe.close)
        self._thread.start()
        self._ending.callback(self._end)

    def _end(self) -> None:
        """Raises what ended it early, and InfrastructureError when a broker keeps it waiting."""
        self._stop.set()
        self._thread.join(left_s(END_TIMEOUT_S))
        if self._thread.is_alive():
            raise InfrastructureError(f"{self._name} was still reading {END_TIMEOUT_S} s later")
        if self._failure is not None:
            raise self._failure

    def _read(self) -> None:
        try:
            self._fetch_on()
        except Exception as error:  # noqa: BLE001 - raised by whoever ends this thread
            self._failure = error

    def _fetch_on(self) -> None:
        while not self._stop.wait(BETWEEN_FETCHES_S):
            try:
                batches = self._probe.committed(self._where, self.position)
                for record in _records(batches):
                    self._take(record)
            except (OSError, LookupError, ValueError) as error:
                # Not there, not ready, cut away while it was sent, or damaged: evidence all.
                self._complaints.add(in_words(error))

    def _take(self, record: Record) -> None:
        if record.offset < self.position or record.value is None:
            return
        value, checksum = self._examine(record, record.value)
        seen = (None if self._where.told_as in self._foreign else value), checksum
        self._history.saw(self._name, self._where, record.offset, seen, hash_of(record.key))
        self.position = record.offset + 1

    def _examine(self, record: Record, content: bytes) -> tuple[int | None, int]:
        marking = self._markings.get(self._where.topic)
        if marking is None:
            return payload.examine(content)
        mark = marking.mark(record.key, content, headers_in(record.headers))
        return examined_one(mark, content)


def _records(batches: memoryview) -> Iterator[Record]:
    """The records of whole batches; what was cut short at the end is left for the next fetch."""
    while len(batches) >= ENTRY_HEADER.size:
        size = ENTRY_HEADER.size + int(ENTRY_HEADER.unpack_from(batches)[1])
        if size > len(batches):
            return
        yield from read_batch_records(read_header(batches[:size]), batches[:size])
        batches = batches[size:]
