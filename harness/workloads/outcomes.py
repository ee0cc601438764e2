"""What a producer is waited for: that it knows who leads, and that its sends have ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

from confluent_kafka import KafkaException, Producer

from highwater.harness.errors import InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.patience import SLICE_S, left_s
from highwater.harness.wait import wait_until


def flush(producer: Producer, timeout_s: float) -> int:
    """Wait for outcomes; returns how many are still open then.

    In slices: what librdkafka waits for by itself no signal interrupts. Raises InfrastructureError
    for a producer that its library has given up.
    """
    deadline_s = time.monotonic() + timeout_s
    still_s = left_s(timeout_s)
    try:
        waiting: int = producer.flush(min(still_s, SLICE_S))
        while waiting and still_s > 0:
            still_s = left_s(max(0.0, deadline_s - time.monotonic()))  # below 0 it waits for ever
            waiting = producer.flush(min(still_s, SLICE_S))
    except KafkaException as error:
        raise InfrastructureError(
            f"expected every record's outcome, saw that librdkafka gives its producer up: {error}"
        ) from error
    return waiting


def await_metadata(producer: Producer, wheres: Sequence[TopicPartition], timeout_s: float) -> None:
    """Wait until a producer knows these partitions of one topic; raises DeadlineError."""
    topic, wanted = wheres[0].topic, {where.partition for where in wheres}

    def known() -> bool:
        try:
            found = producer.list_topics(topic, timeout=1).topics[topic]
        except KafkaException as error:
            raise LookupError(str(error)) from error
        return wanted <= set(found.partitions)

    wait_until(known, f"the metadata of {topic}", timeout_s)
