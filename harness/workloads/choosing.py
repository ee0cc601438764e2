"""Records for which the client library chooses the partition, as applications send them.

Nothing of it is in the history, whose sends say where they go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from highwater.harness.errors import InfrastructureError
from highwater.harness.workloads.outcomes import flush
from highwater.harness.workloads.producer import SETTINGS

TIMEOUT_S = 20.0


def chosen_partitions(
    bootstrap: str, topic: str, keys: Sequence[bytes | None], library: Mapping[str, Any]
) -> list[int]:
    """To which partition a record with each of these keys went; None is no key.

    `library` has settings of librdkafka, such as {"partitioner": "murmur2_random"}, which is Java's
    choice. Raises InfrastructureError where a record was not acknowledged.
    """
    went: dict[int, int] = {}
    failed: list[str] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed.append(error.name())
            return
        went[int(message.value() or b"")] = message.partition() or 0

    producer = Producer({**SETTINGS, **library, "bootstrap.servers": bootstrap})
    for number, key in enumerate(keys):
        producer.produce(topic, value=str(number).encode(), key=key, on_delivery=delivered)
    left = flush(producer, TIMEOUT_S)
    if failed or left:
        raise InfrastructureError(f"records to {topic} failed: {failed[:3]}, {left} never ended")
    return [went[number] for number in range(len(keys))]
