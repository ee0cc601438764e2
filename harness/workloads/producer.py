"""Sends records with confluent-kafka and records every invocation and every outcome."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.record.history import History, Sends
from highwater.harness.wait import wait_until
from highwater.harness.workloads import payload

SETTINGS: Mapping[str, Any] = {
    "log_level": 0,
    "max.in.flight.requests.per.connection": 1,
    "topic.metadata.refresh.fast.interval.ms": 50,
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "retry.backoff.ms": 50,
}

# Refused before anything was appended; everything else may have happened.
REFUSED = frozenset(
    {
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_REQUIRED_ACKS,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - the library's own name for its error
        KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerSettings:
    """What a producer promises itself: the names are Kafka's."""

    acks: str = "all"
    idempotence: bool = False
    retries: int = 5
    linger_ms: float = 0
    batch_records: int = 10_000  # batch.num.messages; 1 makes every record a batch of its own
    compression: str = "none"
    delivery_timeout_s: float = 20.0
    size_bytes: int = 64


@dataclass(slots=True)
class Sent:
    """What became of one call to send: offsets of what was acknowledged, and the rest."""

    records: int = 0
    acked: list[tuple[int, int]] = field(default_factory=list)  # offset, value
    failed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def all_acked(self) -> bool:
        return len(self.acked) == self.records

    @property
    def first_offset(self) -> int:
        return min(offset for offset, _ in self.acked)

    @property
    def end_offset(self) -> int:
        """One past the highest offset acknowledged."""
        return max(offset for offset, _ in self.acked) + 1


class RecordingProducer:
    """A producer whose every send is in the history before it leaves; flushed on leaving."""

    _names = itertools.count(1)

    def __init__(
        self,
        bootstrap: str,
        history: History,
        settings: ProducerSettings,
        values: Callable[[], int],
    ) -> None:
        self.name = f"producer-{next(self._names)}"
        self._history = history
        self._settings = settings
        self._values = values
        self._producer = Producer(
            {
                **SETTINGS,
                "bootstrap.servers": bootstrap,
                "client.id": self.name,
                "acks": settings.acks,
                "enable.idempotence": settings.idempotence,
                "retries": settings.retries,
                "linger.ms": settings.linger_ms,
                "batch.num.messages": settings.batch_records,
                "compression.type": settings.compression,
                "message.timeout.ms": int(settings.delivery_timeout_s * 1000),
                "socket.timeout.ms": int(settings.delivery_timeout_s * 1000),
                "queue.buffering.max.messages": 1_000_000,
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flush()

    def send(self, where: TopicPartition, count: int, sent: Sent | None = None) -> Sent:
        """Hand over `count` records; their outcomes arrive in what is returned, until `flush`.

        The leader is looked up first: records that wait for it would leave in batches of chance.
        """
        sent = sent or Sent()
        self._await_metadata(where)
        sent.records += count
        acks, size_bytes = self._settings.acks, self._settings.size_bytes
        sends = self._history.sends(self.name, where, acks)
        delivered = self._outcome(sends, sent)
        produce, invoke, encode = self._producer.produce, sends.invoke, payload.encode
        topic, partition = where.topic, where.partition
        for number in range(count):
            value = self._values()
            content, checksum = encode(value, size_bytes)
            invoke(value, checksum)
            while True:
                try:
                    produce(topic, content, partition=partition, on_delivery=delivered)
                except BufferError:
                    self._producer.poll(0.1)
                    continue
                break
            if not number & 0x3FF:
                self._producer.poll(0)
        return sent

    def flush(self) -> None:
        """Wait for every outcome; librdkafka gives up on its own after the delivery timeout."""
        self._producer.flush(self._settings.delivery_timeout_s + 5)

    def _await_metadata(self, where: TopicPartition) -> None:
        def known() -> bool:
            try:
                found = self._producer.list_topics(where.topic, timeout=2).topics[where.topic]
            except KafkaException as error:
                raise LookupError(str(error)) from error
            return where.partition in found.partitions

        wait_until(known, f"the metadata of {where}", self._settings.delivery_timeout_s)

    def _outcome(self, sends: Sends, sent: Sent) -> Callable[[KafkaError | None, Message], None]:
        """One callback for all records: a closure for each would cost more than sending it."""
        end, acked, value_of = sends.end, sent.acked, payload.value_of

        def delivered(error: KafkaError | None, message: Message) -> None:
            value = value_of(message.value() or b"")
            if error is None:
                offset = message.offset()
                if offset is not None and offset >= 0:  # with acks=0 the broker tells none
                    acked.append((offset, value))
                    end(value, Outcome.OK, offset, None)
                else:
                    end(value, Outcome.OK, None, None)
            else:
                outcome = self._classify(error)
                named = sent.failed if outcome is Outcome.FAILED else sent.unknown
                named.append(error.name())
                end(value, outcome, None, f"{error.name()}: {error.str()}")

        return delivered

    def _classify(self, error: KafkaError) -> Outcome:
        """A refusal is final only if it answered the first attempt."""
        refused = error.code() in REFUSED and self._settings.retries == 0
        return Outcome.FAILED if refused else Outcome.UNKNOWN
