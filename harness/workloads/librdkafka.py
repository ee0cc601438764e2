"""A producer's settings in the words of librdkafka."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTINGS: dict[str, Any] = {
    "log_level": 0,
    "topic.metadata.refresh.fast.interval.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "retry.backoff.ms": 50,
    "queue.buffering.max.messages": 1_000_000,
}
ITS_OWN_S = 30.0  # request.timeout.ms of librdkafka: how long a leader waits for its followers


def library_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """Of the fields of ProducerSettings, decided as they are on these brokers."""
    delivery_timeout_s, request_timeout_s = told["delivery_timeout_s"], told["request_timeout_s"]
    waits_s = request_timeout_s or delivery_timeout_s
    return {
        "acks": told["acks"],
        "enable.idempotence": bool(told["idempotence"]),
        "retries": told["retries"],
        "max.in.flight.requests.per.connection": told["in_flight"],
        "linger.ms": told["linger_ms"],
        "batch.num.messages": told["batch_records"],
        "batch.size": told["batch_bytes"],
        "message.max.bytes": told["request_bytes"],
        "compression.type": told["compression"],
        "message.timeout.ms": int(delivery_timeout_s * 1000),
        "socket.timeout.ms": int(waits_s * 1000),
        "request.timeout.ms": int(max(ITS_OWN_S, request_timeout_s or 0) * 1000),
    }
