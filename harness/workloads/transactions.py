"""Sends records in transactions; what became of a record is what became of its transaction."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from highwater.harness.errors import InfrastructureError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.record.history import History
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads import payload
from highwater.harness.workloads.producer import SETTINGS, flush

TIMEOUT_S = 30.0
# How long a record may be on its way before an abort goes ahead without it: librdkafka ends no
# transaction while a request is in flight.
IN_FLIGHT_TIMEOUT_MS = 3000
SLICE_S = 1.0
SIZE_BYTES = 64


class TransactionalProducer(Lifetime):
    """One transaction at a time; all of them with one transactional id of its own.

    Sends are recorded when they leave, and get their outcome with the transaction's: ok when it is
    committed, failed when it is aborted (both as the coordinator has confirmed), else unknown.
    Methods raise InfrastructureError for what Kafka refuses.
    """

    _names = itertools.count(1)

    def __init__(self, bootstrap: str, history: History, values: payload.Values) -> None:
        super().__init__()
        self.name = f"transactional-producer-{next(self._names)}"
        self._history = history
        self._values = values
        history.promised(
            self.name,
            "producer",
            client_id=self.name,
            acks="all",
            idempotence=True,
            transactional_id=self.name,
        )
        self._open: list[Sends] = []
        self._offsets: dict[int, int] = {}
        self._producer = Producer(
            {
                **SETTINGS,
                "max.in.flight.requests.per.connection": 1,
                "bootstrap.servers": bootstrap,
                "client.id": self.name,
                "transactional.id": self.name,
                "message.timeout.ms": IN_FLIGHT_TIMEOUT_MS,
                "transaction.timeout.ms": 60_000,
                "linger.ms": 0,
            }
        )

    def _begin(self) -> None:
        self._confirmed("joining", self._producer.init_transactions)
        self._ending.callback(self._end, Outcome.UNKNOWN, "the transaction was left open")

    def begin(self) -> None:
        self._confirmed("beginning", lambda _slice_s: self._producer.begin_transaction())

    def send(self, where: TopicPartition, *, wait: bool = True) -> None:
        """Send a record; with `wait`, until the broker has acknowledged it."""
        values = self._values.take(1)
        content, checksum = payload.encoder(SIZE_BYTES)(values.start)
        sends = self._history.sends(self.name, where, "all", values)
        sends.invoke(values, [checksum])
        self._open.append(sends)
        try:
            self._producer.produce(
                where.topic, content, partition=where.partition, on_delivery=self._delivered
            )
        except (KafkaException, BufferError) as error:
            raise InfrastructureError(f"{self.name}: a record was refused: {error}") from error
        self._producer.poll(0)
        if wait and (flush(self._producer, TIMEOUT_S) or values.start not in self._offsets):
            raise InfrastructureError(f"{self.name}: a record was not acknowledged in {where}")

    def commit(self) -> None:
        self._finish(Outcome.OK, self._producer.commit_transaction)

    def abort(self) -> None:
        """Records in flight are given up first, which takes IN_FLIGHT_TIMEOUT_MS."""
        self._finish(Outcome.FAILED, self._producer.abort_transaction)

    def _finish(self, outcome: Outcome, call: Callable[[float], None]) -> None:
        try:
            self._confirmed("ending", call)
        except InfrastructureError as error:
            self._end(Outcome.UNKNOWN, str(error))
            raise
        self._end(outcome, "the transaction was aborted")

    def _end(self, outcome: Outcome, reason: str) -> None:
        for sends in self._open:
            for value in sends.values:
                if outcome is Outcome.OK:
                    sends.acknowledged(value, self._offsets.get(value, NO_OFFSET))
                else:
                    sends.ended(value, outcome, reason)
        self._open.clear()

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        offset = message.offset()
        if error is None and offset is not None:
            self._offsets[payload.value_of(message.value() or b"")] = offset

    def _confirmed(self, what: str, call: Callable[[float], None]) -> None:
        """Call, and call again: what librdkafka waits for by itself no signal interrupts.

        A call that has timed out goes on where it was when it is made again.
        """
        deadline_s = time.monotonic() + TIMEOUT_S
        while True:
            try:
                call(SLICE_S)
            except KafkaException as error:
                timed_out = error.args[0].code() == KafkaError._TIMED_OUT  # noqa: SLF001 - its name
                if timed_out and left_s(deadline_s - time.monotonic()) > 0:
                    continue
                raise InfrastructureError(f"{self.name}, {what} a transaction: {error}") from error
            return
