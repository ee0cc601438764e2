"""kafka-python for Highwater: a producer, see docs/adapters.md. Needs nothing but kafka-python."""

from __future__ import annotations

import json
import logging
import queue
import sys
import threading
import time
from importlib.util import find_spec
from typing import Any

import kafka

# Its names for Kafka's settings; those that this version does not have are left out.
NAMES = {
    "acks": "acks",
    "enable.idempotence": "enable_idempotence",
    "retries": "retries",
    "linger.ms": "linger_ms",
    "compression.type": "compression_type",
    "delivery.timeout.ms": "delivery_timeout_ms",
    "batch.size": "batch_size",
    "max.request.size": "max_request_size",
    "max.in.flight.requests.per.connection": "max_in_flight_requests_per_connection",
}
CODECS = {"gzip": "gzip", "snappy": "snappy", "lz4": "lz4", "zstd": "zstandard"}  # their modules

lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # that wait to be written together


def say(event: str, **fields: Any) -> None:
    lines.put(json.dumps({"event": event, **fields}))


def write() -> None:
    """Everything that waits at once; None is the end."""
    while (line := lines.get()) is not None:
        some = [line]
        while not lines.empty() and (line := lines.get()) is not None:
            some.append(line)
        sys.stdout.write("\n".join(some) + "\n")
        sys.stdout.flush()
        if line is None:
            return


def settings_of(begin: dict[str, Any]) -> dict[str, Any]:
    told = {NAMES[name]: value for name, value in begin["settings"].items()}
    if told.get("acks") in ("0", "1"):
        told["acks"] = int(told["acks"])
    if told.get("compression_type") == "none":
        told["compression_type"] = None
    if "delivery_timeout_ms" in told:  # which must have room for a request and for the wait
        most = told["delivery_timeout_ms"] - told.get("linger_ms", 0)
        told["request_timeout_ms"] = min(30_000, most)
        told["max_block_ms"] = told["delivery_timeout_ms"]
    return {**told, "bootstrap_servers": begin["bootstrap"], "client_id": begin["client"]}


def tell_error(number: int, error: Exception, *, refused: bool) -> None:
    is_answer = isinstance(error, kafka.errors.BrokerResponseError)
    code = getattr(error, "errno", None) if is_answer else None
    say(
        "error",
        error=type(error).__name__,
        text=str(error),
        code=code,
        retriable=bool(getattr(error, "retriable", False)),
        refused=refused,
        records=[[number, time.monotonic_ns()]],
    )


def tell_offset(number: int, found: Any) -> None:
    offset = found.offset if found.offset >= 0 else None
    say("ok", records=[[number, offset, time.monotonic_ns()]])


def send(producer: Any, told: dict[str, Any]) -> None:
    keys = told.get("keys") or [None] * len(told["values"])
    for number, (key, value) in enumerate(zip(keys, told["values"], strict=True), told["first"]):
        sent = {"value": value.encode(), "key": None if key is None else key.encode()}
        try:
            future = producer.send(told["topic"], partition=told["partition"], **sent)
        except Exception as error:  # noqa: BLE001 - its own call has not taken the record
            tell_error(number, error, refused=True)
            continue
        future.add_callback(lambda found, number=number: tell_offset(number, found))
        future.add_errback(lambda error, number=number: tell_error(number, error, refused=False))


def produce(begin: dict[str, Any]) -> None:
    producer = kafka.KafkaProducer(**settings_of(begin))
    say("ready")
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "stop":
            break
        if told["do"] == "produce":
            send(producer, told)
        elif told["do"] == "flush":
            producer.flush()
            say("flushed", at_ns=time.monotonic_ns())
    producer.flush()
    producer.close()


def main() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        known = kafka.KafkaProducer.DEFAULT_CONFIG
        say(
            "hello",
            protocol=1,
            library="kafka-python",
            version=kafka.__version__,
            clock="monotonic",
            at_ns=time.monotonic_ns(),
            capabilities={
                "roles": ["producer"],
                "settings": [name for name, own in NAMES.items() if own in known],
                "compression": [name for name in CODECS if find_spec(CODECS[name])],
            },
        )
        first = sys.stdin.readline()
        if first:
            produce(json.loads(first))
        say("ended")
    finally:
        lines.put(None)
        writer.join()


if __name__ == "__main__":
    main()
