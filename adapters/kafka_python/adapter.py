"""kafka-python for Highwater, see docs/adapters.md; run by python/program.py."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import kafka
from member import SETTINGS, Consumer  # beside this file

# Its names for Kafka's settings; those that this version does not have are left out.
NAMES = {
    "acks": "acks",
    "enable.idempotence": "enable_idempotence",
    "retries": "retries",
    "linger.ms": "linger_ms",
    "compression.type": "compression_type",
    "delivery.timeout.ms": "delivery_timeout_ms",
    "request.timeout.ms": "request_timeout_ms",
    "batch.size": "batch_size",
    "max.request.size": "max_request_size",
    "max.in.flight.requests.per.connection": "max_in_flight_requests_per_connection",
}
OF_TRANSACTIONS = {
    "transactional.id": "transactional_id",
    "transaction.timeout.ms": "transaction_timeout_ms",
}
# Its documentation says of no error that the producer is of no use any more but by their names.
LAST = ("ProducerFencedError", "AuthorizationError", "IllegalStateError", "UnsupportedVersionError")
CODECS = {"gzip": "gzip", "snappy": "snappy", "lz4": "lz4", "zstd": "zstandard"}  # their modules


def settings_of(begin: dict[str, Any]) -> dict[str, Any]:
    names = {**NAMES, **OF_TRANSACTIONS}
    told = {names[name]: value for name, value in begin["settings"].items()}
    if told.get("acks") in ("0", "1"):
        told["acks"] = int(told["acks"])
    if told.get("compression_type") == "none":
        told["compression_type"] = None
    if "delivery_timeout_ms" in told:  # which must have room for a request and for the wait
        most = told["delivery_timeout_ms"] - told.get("linger_ms", 0)
        told.setdefault("request_timeout_ms", min(30_000, most))
        told["max_block_ms"] = told["delivery_timeout_ms"]
    return {**told, "bootstrap_servers": begin["bootstrap"], "client_id": begin["client"]}


class Producer:
    def __init__(self, begin: dict[str, Any], teller: Any) -> None:
        self._producer = kafka.KafkaProducer(**settings_of(begin))
        self._teller = teller
        self.flush, self.close = self._producer.flush, self._producer.close
        if Library.transactions:
            self.register = self._producer.init_transactions
            self.begin = self._producer.begin_transaction
            self.commit = self._producer.commit_transaction
            self.abort = self._producer.abort_transaction

    def send(self, records: Any) -> None:
        for number, topic, partition, key, value, headers in records:
            where = {"topic": topic, "partition": partition}
            try:
                future = self._producer.send(value=value, key=key, headers=headers, **where)
            except Exception as error:  # noqa: BLE001 - its own call has not taken the record
                self._teller.refused(number, error, retriable=_is_retriable(error))
                continue
            future.add_callback(
                lambda found, number=number: self._teller.acknowledged(number, found.offset)
            )
            future.add_errback(lambda error, number=number: self._failed(number, error))

    def demanded(self, error: Exception) -> tuple[str, int | None, str, bool]:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        demands = "close" if any(name in kinds for name in LAST) else "abort"
        if "KafkaTimeoutError" in kinds:  # which only registering raises
            demands = "retry"
        return kinds[0], _code(error), demands, demands != "abort"

    def _failed(self, number: int, error: Exception) -> None:
        self._teller.failed(number, error, code=_code(error), retriable=_is_retriable(error))


def _code(error: Exception) -> int | None:
    """Kafka's, of a broker's answer."""
    is_answer = isinstance(error, kafka.errors.BrokerResponseError)
    code = getattr(error, "errno", None) if is_answer else None
    return code if code is None or code > 0 else None


def _is_retriable(error: Exception) -> bool:
    return bool(getattr(error, "retriable", False))


class Library:
    name = "kafka-python"
    version = kafka.__version__
    settings = tuple(
        name for name, own in NAMES.items() if own in kafka.KafkaProducer.DEFAULT_CONFIG
    )
    compression = tuple(name for name in CODECS if find_spec(CODECS[name]))
    begin = Producer
    transactions = "transactional_id" in kafka.KafkaProducer.DEFAULT_CONFIG  # from 2.1 on
    headers = ("producer", "member")
    member = SETTINGS
    join = Consumer
