"""A consumer that stays with one broker, whoever leads.

So does a client that fetches as of KIP-392 and knows nothing of KIP-320: it does not say which
leader epoch it believes in, so the broker cannot tell it that this one is over.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.probes.batch_format import Record, read_batch_records, read_header
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.probes.segments import ENTRY_HEADER
from highwater.harness.probes.wire import Wire
from highwater.harness.record.history import History
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads import payload

NAME = "loyal-reader"
BETWEEN_FETCHES_S = 0.0005


class LoyalReader(Lifetime):
    """Fetches from `offset` on without a pause, and records what it is handed; for a `with`."""

    def __init__(
        self, kafka: Kafka, address: str, history: History, where: TopicPartition, offset: int
    ) -> None:
        super().__init__()
        host, _, port = address.partition(":")
        self._probe = ReplicaProbe(kafka, Wire(host, int(port)))
        self._history = history
        self._name = history.reader(NAME, isolation="read_committed")
        self._where = where
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=NAME, daemon=True)
        self.position = offset

    def _begin(self) -> None:
        self._ending.callback(self._probe.close)
        self._thread.start()
        self._ending.callback(self._end)

    def _end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._stop.wait(BETWEEN_FETCHES_S):
            try:
                batches = self._probe.committed(self._where, self.position)
                for record in _records(batches):
                    self._take(record)
            except (OSError, LookupError, ValueError):
                continue  # not there, not ready, or cut away while it was sent

    def _take(self, record: Record) -> None:
        if record.offset < self.position or record.value is None:
            return
        seen = (payload.identify(record.value), payload.checksum(record.value))
        self._history.saw(self._name, self._where, record.offset, seen)
        self.position = record.offset + 1


def _records(batches: memoryview) -> Iterator[Record]:
    """The records of whole batches; what was cut short at the end is left for the next fetch."""
    while len(batches) >= ENTRY_HEADER.size:
        size = ENTRY_HEADER.size + int(ENTRY_HEADER.unpack_from(batches)[1])
        if size > len(batches):
            return
        yield from read_batch_records(read_header(batches[:size]), batches[:size])
        batches = batches[size:]
