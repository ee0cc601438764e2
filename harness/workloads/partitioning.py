"""Records whose partition nobody has said: where a client library sends them.

They are on no record: for topics that are none of a play's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaError, Message, Producer

from highwater.harness.errors import InfrastructureError

TIMEOUT_S = 20.0


def chosen_partitions(
    bootstrap: str, topic: str, keys: Sequence[bytes | None], partitioner: str
) -> list[int]:
    """The partition of a record of each of these keys, as librdkafka's `partitioner` chooses it.

    Raises InfrastructureError for a record that is not acknowledged.
    """
    found: dict[int, int] = {}
    errors: list[str] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            errors.append(str(error))
            return
        found[int(message.value() or b"")] = int(message.partition() or 0)

    told = {"bootstrap.servers": bootstrap, "partitioner": partitioner, "log_level": 0}
    producer = Producer({**told, "message.timeout.ms": int(TIMEOUT_S * 1000)})
    for number, key in enumerate(keys):
        producer.produce(topic, value=b"%d" % number, key=key, on_delivery=delivered)
    if producer.flush(TIMEOUT_S + 1) or errors:
        told_of = errors[0] if errors else "no answer"
        raise InfrastructureError(f"a record without a partition for {topic}: {told_of}")
    return [found[number] for number in range(len(keys))]
