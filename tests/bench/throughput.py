"""Records per second with acks=all: through the gate against past it, recorded against bare."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer
from tests.bench.effort import Effort

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer

KAFKA = "3.9.1-zk"
SIZE_BYTES = 100
WHERE = TopicPartition("bench")
QUEUE = {"linger.ms": 5, "queue.buffering.max.messages": 1_000_000, "log_level": 0}


def gate_throughput(folder: Path, effort: Effort) -> dict[str, object]:
    """Two clusters in turn, never at once: one with the gate, one without."""
    rates: dict[str, list[int]] = {"gated": [], "direct": []}
    for _ in range(2):
        for name in rates:
            with _cluster(folder / name, gated=name == "gated") as cluster:
                _create(cluster)
                send = partial(_bare, cluster, effort.records)
                send()  # warms the brokers up
                rates[name] += [_rate(send, effort.records) for _ in range(effort.rounds)]
    return _compared(rates, "gated", "direct")


def recorded_throughput(folder: Path, effort: Effort) -> dict[str, object]:
    """On one cluster, in turn: a bare loop that counts acks, and the recording producer."""
    rates: dict[str, list[int]] = {"recorded": [], "bare": []}
    with _cluster(folder / "cluster", gated=True) as cluster:
        _create(cluster)
        ways = {
            "recorded": partial(_recorded, cluster, effort.records, folder),
            "bare": partial(_bare, cluster, effort.records),
        }
        for round_, name in itertools.product(range(effort.rounds + 1), rates):
            rate = _rate(ways[name], effort.records)
            if round_:  # the first one warms the brokers up
                rates[name].append(rate)
    return _compared(rates, "recorded", "bare")


def _compared(rates: dict[str, list[int]], name: str, against: str) -> dict[str, object]:
    ratio = statistics.median(rates[name]) / statistics.median(rates[against])
    return {"kafka": KAFKA, "records_per_s": rates, f"{name}_to_{against}": round(ratio, 2)}


def _cluster(folder: Path, *, gated: bool) -> KafkaCluster:
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    return KafkaCluster(ProcessSite(found, folder), ClusterSpec(gated=gated))


def _create(cluster: KafkaCluster) -> None:
    create_topic(cluster, WHERE.topic, [cluster.brokers], {"min.insync.replicas": "2"})


def _rate(work: Callable[[], None], records: int) -> int:
    started = time.monotonic()
    work()
    return round(records / (time.monotonic() - started))


def _bare(cluster: KafkaCluster, records: int) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", **QUEUE})
    content, acked = b"x" * SIZE_BYTES, itertools.count()

    def delivered(_error: KafkaError | None, _message: Message) -> None:
        next(acked)

    for number in range(records):
        producer.produce(WHERE.topic, content, partition=0, on_delivery=delivered)
        if not number & 0x3FF:
            producer.poll(0)
    producer.flush(120)


_run_numbers = itertools.count()


def _recorded(cluster: KafkaCluster, records: int, folder: Path) -> None:
    tuned = ProducerSettings(linger_ms=5, size_bytes=SIZE_BYTES, delivery_timeout_s=120)
    with (
        RunRecord(folder / f"run-{next(_run_numbers)}", {"scenario": "bench"}) as record,
        RecordingProducer(cluster.bootstrap, record.history, tuned, Values()) as producer,
    ):
        producer.await_metadata([WHERE])
        producer.send(WHERE, records)
