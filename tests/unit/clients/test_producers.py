"""A producer that refuses a record by itself; nobody has to listen for that."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer


@pytest.mark.parametrize("retries", [0, 5])
def test_a_record_that_is_too_large_for_its_producer_is_refused_at_once(
    tmp_path: Path, retries: int
) -> None:
    history = History(tmp_path, time.monotonic_ns())
    settings = ProducerSettings(
        idempotence=False, retries=retries, size_bytes=5_000, request_bytes=1_000
    )

    with RecordingProducer("127.0.0.1:1", history, settings, Values()) as producer:
        sent = producer.send(TopicPartition("orders"), 2)

    assert sent.failed == ["MSG_SIZE_TOO_LARGE"] * 2
    assert sent.unknown == []
    assert (producer.tally.acked, producer.tally.failed, producer.tally.unknown) == (0, 2, 0)
