"""A partition as it lies there, keys and values, and what groups have committed; no record."""

from __future__ import annotations

import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from highwater.harness.workloads.reaching import reached

TIMEOUT_S = 30.0
Content = tuple[bytes | None, bytes | None]


def read(bootstrap: str, topic: str) -> list[Content]:
    """Everything in its only partition, by offset from 0 on; nothing may have been deleted.

    Where there are transactions it is what was committed in them, and offsets have gaps.
    """
    settings = {**reached(bootstrap), "group.id": "contents", "log_level": 0}
    told = {"enable.auto.commit": False, "enable.partition.eof": True}
    consumer = Consumer({**settings, **told})
    try:
        where = TopicPartition(topic, 0, OFFSET_BEGINNING)
        _, end = consumer.get_watermark_offsets(where, timeout=TIMEOUT_S)
        consumer.assign([where])
        found: list[Content] = []
        deadline_s = time.monotonic() + TIMEOUT_S
        while len(found) < end and time.monotonic() < deadline_s:
            message = consumer.poll(0.5)
            error = None if message is None else message.error()
            if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                break
            if message is not None and error is None:
                found.append((message.key(), message.value()))
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
