"""What a producer may be set to, and one that refuses a record by itself."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, Producer

from highwater.harness.clients.loading import for_transactions
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.librdkafka import library_of
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer
from highwater.harness.workloads.promises import COMPRESSIONS
from highwater.harness.workloads.transactions import BRIEF

NEW, NAN = find_kafka("4.1.1"), math.nan

WRONG: dict[str, tuple[object, ...]] = {
    "acks": ("2", 1, -1, 0, None, "ALL", "", ["all"]),
    "idempotence": (1, "true", 0),
    "retries": (-1, 1.5, True, "5", 1 << 31, None),
    "linger_ms": (-1, NAN, "0", True, 900_001, 20_000),
    "batch_records": (0, -1, 1.0, True, 1_000_001),
    "compression": ("nope", None, "GZIP", ["gzip"]),
    "delivery_timeout_s": (0, -1, NAN, math.inf, "20", None, 301),
    "request_timeout_s": (0, -1, NAN, "2", 301, 20.5),
    "size_bytes": (0, -1, 1.5, True, 10**10),
    "batch_bytes": (0, -1, 1.0, 1 << 31),
    "request_bytes": (0, 999, 10**9 + 1, "1000"),
    "in_flight": (0, -1, 1.0, 1_000_001),
    "transaction_timeout_s": (0, -1, 0.5, NAN, 901),
    "keys": (-1, 1.5),
    "unanswered": (0, -1, 1.5, True, "1"),
    "key_choice": ("random", None, 1),
    "partition_by": ("random", None, 1, "key"),  # by which one: there are no keys
}
LEAST_AND_MOST = [
    {"acks": "0", "retries": 0, "batch_records": 1, "size_bytes": 1, "batch_bytes": 1},
    {"delivery_timeout_s": 0.1, "request_bytes": 1_000, "transaction_timeout_s": 1},
    {"retries": (1 << 31) - 1, "linger_ms": 290_000, "delivery_timeout_s": 300, "in_flight": 5},
    {"request_timeout_s": 0.1, "delivery_timeout_s": 0.2, "linger_ms": 100},
    {"in_flight": 1_000_000, "batch_records": 1_000_000, "batch_bytes": (1 << 31) - 1},
    {"request_bytes": 10**9, "acks": "-1", "idempotence": True},
    {"keys": 1, "partition_by": "key"},
    *({"compression": name} for name in COMPRESSIONS),
]


def test_every_setting_has_values_that_are_refused() -> None:
    assert WRONG.keys() == {each.name for each in fields(ProducerSettings)}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_what_no_producer_can_be_set_to_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"expected .*{name}.* saw|keys, saw"):
        ProducerSettings(**{name: value}).on(NEW)


@pytest.mark.parametrize("told", LEAST_AND_MOST)
def test_what_is_not_refused_is_what_the_library_takes(told: dict[str, Any]) -> None:
    settings = ProducerSettings(**told).on(NEW)

    Producer({**library_of(asdict(settings)), "bootstrap.servers": "127.0.0.1:1", "log_level": 0})


def test_all_acknowledgements_have_one_word_on_the_record() -> None:
    assert ProducerSettings(acks="-1").on(NEW) == ProducerSettings().on(NEW)
    assert ProducerSettings().on(NEW).acks == "all"
    assert ProducerSettings().on(NEW).idempotence is True
    assert ProducerSettings(in_flight=6).on(NEW).idempotence is False


@pytest.mark.parametrize("told", [{"acks": "0"}, {"acks": "1"}, {"retries": 0}, {"in_flight": 6}])
def test_who_can_promise_no_order_is_not_told_to(told: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected a producer with idempotence=True to have"):
        ProducerSettings(**told, idempotence=True).on(NEW)


def test_brokers_that_know_no_idempotence_are_not_asked_for_it() -> None:
    with pytest.raises(UsageError, match=r"expected Kafka 0\.11 or newer"):
        ProducerSettings(idempotence=True).on(find_kafka("0.10.2.2"))


@pytest.mark.parametrize("retries", [0, 5])
def test_a_record_that_is_too_large_for_its_producer_is_refused_at_once(
    tmp_path: Path, retries: int
) -> None:
    history = History(tmp_path, time.monotonic_ns())
    settings = ProducerSettings(
        idempotence=False, retries=retries, size_bytes=5_000, request_bytes=1_000, linger_ms=2.5
    )

    with RecordingProducer("127.0.0.1:1", history, settings, Values()) as producer:
        sent = producer.send(TopicPartition("orders"), 2)

    assert [each["linger_ms"] for each in history.clients] == [3]
    assert sent.told()["failed"] == ["MSG_SIZE_TOO_LARGE"] * 2
    assert sent.told()["unknown"] == []
    assert (producer.tally.acked, producer.tally.failed, producer.tally.unknown) == (0, 2, 0)


class Forgetful:
    """A library of which a broker has said that it knows no such topic."""

    def __init__(self, library: Producer, code: int = KafkaError._UNKNOWN_TOPIC) -> None:
        self._library, self.code = library, code

    def produce_batch(self, _topic: str, messages: list[Any], *_more: object) -> None:
        for each in messages:
            each["_error"] = KafkaError(self.code)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


def test_a_record_of_a_topic_that_is_not_known_just_now_is_refused_and_the_next_one_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path, time.monotonic_ns())
    settings = ProducerSettings(idempotence=False, delivery_timeout_s=0.1)

    with RecordingProducer("127.0.0.1:1", history, settings, Values()) as producer:
        with monkeypatch.context() as patched:
            patched.setattr(producer, "_producer", Forgetful(producer._producer))
            refused = producer.send(TopicPartition("orders"), 2)
        later = producer.send(TopicPartition("orders"), 1)

    assert refused.told()["failed"] == ["_UNKNOWN_TOPIC"] * 2
    assert later.told()["failed"] + later.told()["unknown"] == ["_MSG_TIMED_OUT"]


def test_a_partition_that_there_is_not_is_no_outcome_of_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path, time.monotonic_ns())
    settings = ProducerSettings(idempotence=False, delivery_timeout_s=0.1)

    with RecordingProducer("127.0.0.1:1", history, settings, Values()) as producer:
        forgetful = Forgetful(producer._producer, KafkaError._UNKNOWN_PARTITION)
        monkeypatch.setattr(producer, "_producer", forgetful)
        with pytest.raises(InfrastructureError, match="a record was refused"):
            producer.send(TopicPartition("orders", 7), 1)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("x", "expected ProducerSettings, saw 'x'"),
        ({}, "expected ProducerSettings, saw {}"),
        (ProducerSettings(keys="5"), "expected 0 to 1000000 keys, saw '5'"),  # type: ignore[arg-type]
        (ProducerSettings(key_choice="zipf"), "expected key_choice to be one of"),
        (
            ProducerSettings(transaction_timeout_s=0),
            "expected transaction_timeout_s to be 1 to 900",
        ),
        (ProducerSettings(acks="1"), "can have no transactions: expected"),
        (
            ProducerSettings(keys=5, partition_by="key"),
            "expected partition_by='turn' where records",
        ),
    ],
)
def test_a_producer_of_transactions_is_refused_what_it_cannot_be(
    settings: object, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        for_transactions(NEW, settings)


def test_a_producer_of_transactions_needs_a_kafka_that_has_them() -> None:
    assert for_transactions(NEW, BRIEF) == replace(BRIEF, idempotence=True)
    assert for_transactions(NEW, None).idempotence
    with pytest.raises(UsageError, match=r"no transactions: expected Kafka 0\.11 or newer"):
        for_transactions(find_kafka("0.10.2.2"), BRIEF)
