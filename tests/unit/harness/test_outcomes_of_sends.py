"""Waiting for outcomes of sends."""

from __future__ import annotations

import time

from confluent_kafka import Producer

from highwater.harness.workloads.outcomes import flush

GIVEN_UP_S = 8


def test_outcomes_are_waited_for_no_longer_than_that() -> None:
    """Librdkafka takes a time below nothing for one without an end."""
    producer = Producer(
        {
            "bootstrap.servers": "127.0.0.1:1",
            "message.timeout.ms": GIVEN_UP_S * 1000,
            "log_level": 0,
        }
    )
    producer.produce("orders", b"7")
    began_s = time.monotonic()

    waiting = flush(producer, 0.3)

    assert (waiting, time.monotonic() - began_s < GIVEN_UP_S / 2) == (1, True)
    producer.purge()
