"""aiokafka for Highwater, see docs/adapters.md; run by python/program.py."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from importlib.util import find_spec
from typing import Any

import aiokafka
from aiokafka.errors import BrokerResponseError, ProducerFenced
from member import SETTINGS, Consumer

# Its names for Kafka's settings.
NAMES = {
    "acks": "acks",
    "enable.idempotence": "enable_idempotence",
    "linger.ms": "linger_ms",
    "compression.type": "compression_type",
    # How long it waits for an answer, and how old a batch may be that has not left yet.
    "delivery.timeout.ms": "request_timeout_ms",
    "request.timeout.ms": "request_timeout_ms",  # told after the other, so that it counts
    "batch.size": "max_batch_size",
    "max.request.size": "max_request_size",
}
OF_TRANSACTIONS = {
    "transactional.id": "transactional_id",
    "transaction.timeout.ms": "transaction_timeout_ms",
}
WITH_CRAMJAM = ["snappy", "lz4", "zstd"]


def settings_of(begin: dict[str, Any]) -> dict[str, Any]:
    names = {**NAMES, **OF_TRANSACTIONS}
    told = {names[name]: value for name, value in begin["settings"].items()}
    if told["acks"] in ("0", "1"):
        told["acks"] = int(told["acks"])
    if told["compression_type"] == "none":
        told["compression_type"] = None
    return {**told, "bootstrap_servers": begin["bootstrap"], "client_id": begin["client"]}


class Producer:
    """Its loop has a thread of its own; each call waits for what it asks of that loop."""

    def __init__(self, begin: dict[str, Any], teller: Any) -> None:
        self._teller = teller
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="loop", daemon=True).start()
        self._producer = self._await(self._start(settings_of(begin)))

    def send(self, records: Any) -> None:
        """Waits for room, as the library has its callers do."""
        self._await(self._send(list(records)))

    def register(self) -> None:
        """It has done so when it was started, and waits for it with each beginning."""

    def begin(self) -> None:
        self._await(self._producer.begin_transaction())

    def commit(self) -> None:
        self._await(self._producer.commit_transaction())

    def abort(self) -> None:
        self._await(self._producer.abort_transaction())

    def demanded(self, error: Exception) -> tuple[str, int | None, str, bool]:
        """Its documentation says to close one that is fenced, and to abort otherwise."""
        code = error.errno if isinstance(error, BrokerResponseError) else None
        demands = "close" if isinstance(error, ProducerFenced) else "abort"
        return type(error).__name__, code, demands, demands != "abort"

    def flush(self) -> None:
        self._await(self._producer.flush())

    def close(self) -> None:
        self._await(self._producer.stop())

    def _await(self, asked: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()

    async def _start(self, settings: dict[str, Any]) -> Any:
        producer = aiokafka.AIOKafkaProducer(**settings)
        await producer.start()
        return producer

    async def _send(self, records: list[Any]) -> None:
        for number, topic, partition, key, value, headers in records:
            try:
                future = await self._producer.send(topic, value, key, partition, headers=headers)
            except Exception as error:  # noqa: BLE001 - its own call has not taken the record
                self._teller.refused(number, error, retriable=_is_retriable(error))
                continue
            future.add_done_callback(lambda done, number=number: self._ended(number, done))

    def _ended(self, number: int, done: Any) -> None:
        error = done.exception()
        if error is None:
            found = done.result()  # None with acks=0
            self._teller.acknowledged(number, None if found is None else found.offset)
            return
        code = error.errno if isinstance(error, BrokerResponseError) else None
        self._teller.failed(number, error, code=code, retriable=_is_retriable(error))


def _is_retriable(error: Exception) -> bool:
    return bool(getattr(error, "retriable", False))


class Library:
    name = "aiokafka"
    version = aiokafka.__version__
    settings = tuple(NAMES)
    compression = ("gzip", *(WITH_CRAMJAM if find_spec("cramjam") else ()))
    transactions = True
    begin = Producer
    headers = ("producer", "member")
    member = SETTINGS
    join = Consumer
