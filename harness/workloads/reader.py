"""Reads a partition from its beginning to its end, and records every record seen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException
from confluent_kafka import TopicPartition as Assigned

from highwater.harness.errors import DeadlineError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.wait import wait_until
from highwater.harness.workloads import payload

SETTINGS: Mapping[str, Any] = {
    "log_level": 0,
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "enable.partition.eof": False,
    "fetch.wait.max.ms": 50,
    "fetch.error.backoff.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "check.crcs": True,
}
BATCH_RECORDS = 5_000


def read_to_end(
    bootstrap: str, history: History, where: TopicPartition, timeout_s: float = 30.0
) -> int:
    """Read everything below the leader's high watermark; returns that offset.

    The caller has seen to it that the high watermark is the log's end on every replica: a reader
    is bounded by it, and right after an election it may still be an old one.
    Raises DeadlineError when the end is not reached in time; what was read is recorded.
    """
    consumer = Consumer(
        {**SETTINGS, "bootstrap.servers": bootstrap, "group.id": f"reader-of-{where}"}
    )
    try:
        end = wait_until(lambda: _end_offset(consumer, where), f"the end offset of {where}")[1]
        consumer.assign([Assigned(where.topic, where.partition, 0)])
        position = _read(consumer, history, where, end, time.monotonic() + timeout_s)
        if position < end:
            raise DeadlineError(
                f"waited {timeout_s:.1f} s to read {where} to offset {end}; got to {position}"
            )
        history.reached_end("reader", where, position)
        return position
    finally:
        consumer.close()


def _end_offset(consumer: Consumer, where: TopicPartition) -> tuple[int, int]:
    try:
        offsets = consumer.get_watermark_offsets(
            Assigned(where.topic, where.partition), timeout=2.0
        )
    except KafkaException as error:
        raise LookupError(str(error)) from error
    if offsets is None:
        raise LookupError("no answer")
    return offsets


def _read(
    consumer: Consumer, history: History, where: TopicPartition, end: int, deadline: float
) -> int:
    position = 0
    while position < end and time.monotonic() < deadline:
        for message in consumer.consume(BATCH_RECORDS, timeout=0.2):
            offset = message.offset()
            if message.error() is None and offset is not None:
                content = message.value() or b""
                position = offset + 1
                seen = (payload.identify(content), payload.checksum(content))
                history.saw("reader", where, offset, seen)
    return position
