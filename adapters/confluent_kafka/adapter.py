"""confluent-kafka of any version for Highwater, see docs/adapters.md.

It is a client like any other here; ours, of the version that Highwater has, is adapters/confluent.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import Any

import confluent_kafka
from confluent_kafka import KafkaError, KafkaException
from member import SETTINGS, Consumer  # beside this file
from reaching import SECURITY, reached

POLL_S = 0.05
STEP_S = 10.0  # that a call for a transaction waits; told again, it goes on where it was
# librdkafka's names for Kafka's settings, where they are others.
NAMES = {"max.request.size": "message.max.bytes", "request.timeout.ms": "socket.timeout.ms"}
WORDS = [
    "acks",
    "enable.idempotence",
    "retries",
    "linger.ms",
    "compression.type",
    "delivery.timeout.ms",
    "request.timeout.ms",
    "batch.size",
    "max.request.size",
    "max.in.flight.requests.per.connection",
    "batch.num.messages",
]
LATER = {"batch.size": 1_000_000}  # than 1.4


def is_known(word: str) -> bool:
    if word not in LATER:
        return True
    try:
        confluent_kafka.Producer({word: LATER[word]})
    except KafkaException:
        return False
    return True


def settings_of(begin: dict[str, Any]) -> dict[str, Any]:
    told = {NAMES.get(name, name): value for name, value in begin["settings"].items()}
    if "transactional.id" in told and "socket.timeout.ms" in told:
        most = told["transaction.timeout.ms"] - 100  # else the library refuses it
        told["socket.timeout.ms"] = min(told["socket.timeout.ms"], most)
    return {**told, **reached(begin), "client.id": begin["client"]}


class Producer:
    def __init__(self, begin: dict[str, Any], teller: Any) -> None:
        producer = self._producer = confluent_kafka.Producer(settings_of(begin))
        if Library.transactions:
            self.register = partial(producer.init_transactions, STEP_S)
            self.begin = producer.begin_transaction
            self.commit = partial(producer.commit_transaction, STEP_S)
            self.abort = partial(producer.abort_transaction, STEP_S)
        self._teller = teller
        self._is_closed = threading.Event()
        self._poller = threading.Thread(target=self._poll, name="poller")
        self._poller.start()

    def send(self, records: Any) -> None:
        for number, topic, partition, key, value, headers in records:

            def delivered(error: Any, message: Any, number: int = number) -> None:
                self._ended(number, error, message)

            try:
                self._producer.produce(
                    topic, value, key, partition, headers=headers, on_delivery=delivered
                )
            except (BufferError, KafkaException) as error:  # its call has not taken the record
                self._teller.refused(number, error)

    def flush(self) -> None:
        self._producer.flush()

    def close(self) -> None:
        self._is_closed.set()
        self._poller.join()

    def demanded(self, error: Exception) -> tuple[str, int | None, str, bool]:
        """As errors of the library say of themselves."""
        told = error.args[0] if error.args else None
        if not isinstance(told, KafkaError):
            return type(error).__name__, None, "close", True
        is_timeout = told.code() == KafkaError._TIMED_OUT  # noqa: SLF001 - its name
        demands = "close"
        if told.txn_requires_abort():
            demands = "abort"
        elif (is_timeout or told.retriable()) and not told.fatal():
            demands = "retry"
        code = told.code() if told.code() > 0 else None
        return told.name(), code, demands, demands != "abort"

    def _poll(self) -> None:
        while not self._is_closed.is_set():
            with suppress(KafkaException):  # a fatal one, which records and steps have as well
                self._producer.poll(POLL_S)

    def _ended(self, number: int, error: Any, message: Any) -> None:
        if error is None:
            self._teller.acknowledged(number, message.offset())
            return
        code = error.code() if error.code() >= KafkaError.UNKNOWN else None  # others are its own
        self._teller.failed(
            number, error, code=code, retriable=error.retriable(), name=error.name()
        )


class Library:
    name = "confluent-kafka"
    version = confluent_kafka.__version__
    settings = tuple(word for word in WORDS if is_known(word))
    compression = ("gzip", "snappy", "lz4", "zstd")
    begin = Producer
    pipelines = True
    keeps_order = True
    transactions = hasattr(confluent_kafka.Producer, "init_transactions")  # from 1.4 on
    security = SECURITY
    headers = ("producer", "member")
    member = SETTINGS
    join = Consumer
