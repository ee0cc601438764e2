"""A partition as it lies there, and what groups have committed; nothing is on the record."""

from __future__ import annotations

import time
from collections.abc import Sequence

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from highwater.harness.workloads.pattern import headers_of
from highwater.harness.workloads.reaching import reached

TIMEOUT_S = 30.0
Content = tuple[bytes | None, bytes | None]


def read(bootstrap: str, topic: str) -> list[Content]:
    """Everything in its only partition, by offset from 0 on; nothing may have been deleted.

    Where there are transactions it is what was committed in them, and offsets have gaps.
    """
    return [(each.key(), each.value()) for each in _messages(bootstrap, topic)]


def headers(bootstrap: str, topic: str, name: str) -> list[bytes | None]:
    """The header of this name of each record there, the last one where it has several."""
    return [headers_of(each).get(name) for each in _messages(bootstrap, topic)]


def put(bootstrap: str, topic: str, headed: Sequence[Sequence[tuple[str, bytes]]]) -> None:
    """Append records with these headers; raises KafkaException where one is not appended."""
    failed: list[KafkaError] = []
    producer = Producer({**reached(bootstrap), "acks": "all", "log_level": 0})
    for each in headed:
        producer.produce(
            topic,
            b"with headers",
            partition=0,
            headers=list(each),
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
    left = producer.flush(TIMEOUT_S)
    if failed or left:
        raise KafkaException(*failed[:1])


def _messages(bootstrap: str, topic: str) -> list[Message]:
    settings = {**reached(bootstrap), "group.id": "contents", "log_level": 0}
    told = {"enable.auto.commit": False, "enable.partition.eof": True}
    consumer = Consumer({**settings, **told})
    try:
        where = TopicPartition(topic, 0, OFFSET_BEGINNING)
        _, end = consumer.get_watermark_offsets(where, timeout=TIMEOUT_S)
        consumer.assign([where])
        found: list[Message] = []
        deadline_s = time.monotonic() + TIMEOUT_S
        while len(found) < end and time.monotonic() < deadline_s:
            message = consumer.poll(0.5)
            error = None if message is None else message.error()
            if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                break
            if message is not None and error is None:
                found.append(message)
    finally:
        consumer.close()
    return found


def committed(bootstrap: str, topic: str, group: str) -> int | None:
    """The position in its only partition that a group has committed; None where it has not.

    Raises KafkaException when its coordinator does not tell it.
    """
    consumer = Consumer({**reached(bootstrap), "group.id": group, "log_level": 0})
    try:
        (found,) = consumer.committed([TopicPartition(topic, 0)], timeout=TIMEOUT_S)
    finally:
        consumer.close()
    return found.offset if found.offset >= 0 else None
