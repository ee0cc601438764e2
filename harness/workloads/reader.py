"""Reads what is committed in a partition, from its beginning on, and records every record seen."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
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
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
    "fetch.error.backoff.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "check.crcs": True,
}
BATCH_RECORDS = 5_000
NAME = "reader"


def read_to_end(
    bootstrap: str, history: History, where: TopicPartition, timeout_s: float = 30.0
) -> int:
    """Read everything below the leader's high watermark; returns that offset.

    The caller has seen to it that the high watermark is the log's end on every replica: a reader
    is bounded by it, and right after an election it may still be an old one.
    Raises DeadlineError when the end is not reached in time; what was read is recorded.
    """
    position, end = read_or_stall(bootstrap, history, where, timeout_s)
    if position < end:
        raise DeadlineError(
            f"waited {timeout_s:.1f} s to read {where} to offset {end}; got to {position}"
        )
    return position


def read_or_stall(
    bootstrap: str, history: History, where: TopicPartition, timeout_s: float
) -> tuple[int, int]:
    """Read towards the leader's high watermark as it is now; returns the position and it.

    Not to have got there in time is recorded as well: the reader has stalled at its position.
    """
    began_ns = time.monotonic_ns()
    with _consumer(bootstrap, where) as consumer:
        end = wait_until(lambda: _end_offset(consumer, where), f"the end offset of {where}")[1]
        deadline_s = time.monotonic() + timeout_s
        reading = Reading(NAME)
        while reading.position < end and time.monotonic() < deadline_s:
            _read_some(consumer, history, where, reading)
    told = history.reached_end if position >= end else history.stalled
    told(NAME, where, position, began_ns)
    return position, end


def read_from_rack(
    bootstrap: str, history: History, where: TopicPartition, rack: str, timeout_s: float = 10.0
) -> int:
    """Read from the replica that is nearest to `rack` (KIP-392), up to where it says the end is.

    Raises DeadlineError when it says nothing in time; what was read is recorded.
    """
    began_ns = time.monotonic_ns()
    deadline_s = time.monotonic() + timeout_s
    with _consumer(bootstrap, where, {"client.rack": rack}) as consumer:
        position, is_end = 0, False
        while not is_end:
            if time.monotonic() > deadline_s:
                raise DeadlineError(
                    f"waited {timeout_s:.1f} s for the end of {where} as rack {rack} sees it; "
                    f"got to {position}"
                )
            position, is_end = _read_some(consumer, history, where, position)
    history.reached_end(f"{NAME}-in-{rack}", where, position, began_ns)
    return position


@contextmanager
def _consumer(
    bootstrap: str, where: TopicPartition, more: Mapping[str, Any] | None = None
) -> Generator[Consumer]:
    named = {"bootstrap.servers": bootstrap, "group.id": f"reader-of-{where}"}
    consumer = Consumer({**SETTINGS, **named, **(more or {})})
    try:
        consumer.assign([Assigned(where.topic, where.partition, 0)])
        yield consumer
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


def _read_some(
    consumer: Consumer, history: History, where: TopicPartition, position: int
) -> tuple[int, bool]:
    """Record what comes next; returns the position then, and whether it is the end by the broker.

    The position moves over records that no reader is handed: transaction markers, aborted records.
    """
    is_end = False
    for message in consumer.consume(BATCH_RECORDS, timeout=0.2):
        offset, error = message.offset(), message.error()
        if offset is None:
            continue
        if error is None:
            content = message.value() or b""
            seen = (payload.identify(content), payload.checksum(content))
            history.saw(NAME, where, offset, seen)
            position, is_end = offset + 1, False
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - the library's own name
            position, is_end = offset, True
    return position, is_end
