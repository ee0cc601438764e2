"""What a callback raises is raised by the call in which the library has called it."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, KafkaError

from highwater.harness.workloads.callbacks import whole

NOBODY = "127.0.0.1:1"


def test_an_exception_of_c_is_no_system_error() -> None:
    def hear(error: KafkaError) -> None:
        "".join(error)  # type: ignore[arg-type]

    told = {"bootstrap.servers": NOBODY, "group.id": "of-one", "error_cb": whole(hear)}
    consumer = Consumer(told)
    try:
        with pytest.raises(TypeError, match="can only join an iterable"):
            consumer.consume(1, timeout=10.0)
    finally:
        consumer.close()


def test_what_is_returned_is_returned() -> None:
    assert whole(divmod)(7, 2) == (3, 1)
