"""A compose project with the layout of apache/kafka's image, as somebody would start it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from docker.models.containers import Container

from highwater.compose.attached import project_of
from highwater.compose.images import ensure_image
from highwater.compose.labels import PROJECT
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import runtime
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

LAYOUT = Path(__file__).with_name("official")
NAME, SERVERS = "highwater-test-foreign", "localhost:29092,localhost:39092,localhost:49092"
# Brokers and who keeps their metadata: a controller, all of them, one of them, ZooKeeper servers.
APART, TOGETHER, FIRST, OLD = "compose.yaml", "combined.yaml", "single.yaml", "zookeeper.yaml"
BROKERS = ["kafka-1", "kafka-2", "kafka-3"]
NODES = {
    APART: ["controller-1", *BROKERS],
    TOGETHER: BROKERS,
    FIRST: BROKERS,
    OLD: [*BROKERS, "zookeeper-1", "zookeeper-2", "zookeeper-3"],
}
PATIENCE_S = 180  # a broker that has a process may be long from serving
RECORDS = [b"what was there before", b"and stays"]


@dataclass(frozen=True)
class Foreign:
    """The project, and the release of its image."""

    client: docker.DockerClient
    release: str
    file: str

    @property
    def containers(self) -> list[Container]:
        return list(self.client.containers.list(filters={"label": f"{PROJECT}={NAME}"}))

    def is_up(self) -> bool:
        try:
            return project_of(NAME).brokers == 3
        except UsageError:
            return False

    def await_up(self) -> None:
        wait_until(
            self.is_up, "three brokers to run, and who is with them", PATIENCE_S, interval_s=1
        )


@pytest.fixture
def foreign(
    request: pytest.FixtureRequest, client: docker.DockerClient, tmp_path: Path
) -> Iterator[Foreign]:
    """Three brokers, as somebody would start them."""
    file, release = request.param
    kafka = runtime(find_kafka(release))
    base, image = ensure_image(kafka.kafka, kafka.jars).name, f"{NAME}:{release}"
    client.images.build(path=str(LAYOUT), tag=image, buildargs={"BASE": base}, rm=True)
    try:
        compose(image, file, "up", "--detach")
        found = Foreign(client, release, file)
        found.await_up()
        yield found
    finally:
        compose(image, file, "down", "--volumes", "--timeout", "5")
        client.images.remove(image, force=True)


def compose(image: str, file: str, *words: str) -> None:
    done = subprocess.run(
        ["docker", "compose", "-p", NAME, "-f", str(LAYOUT / file), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env={**os.environ, "IMAGE": image},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def send() -> None:
    """What is there before a play; a topic that nobody leads yet would lose it without a word."""
    producer = Producer({"bootstrap.servers": SERVERS, "log_level": 2})
    told: list[KafkaError | None] = []

    def is_led() -> bool:
        partitions = producer.list_topics("before", timeout=PATIENCE_S).topics["before"].partitions
        return 0 in partitions and partitions[0].leader > 0

    wait_until(is_led, "a topic that is made by being asked for", PATIENCE_S, interval_s=1)
    for each in RECORDS:
        producer.produce(
            "before", each, partition=0, on_delivery=lambda error, _: told.append(error)
        )
    assert producer.flush(PATIENCE_S) == 0
    assert told == [None] * len(RECORDS)


def read() -> list[bytes | None]:
    consumer = Consumer({"bootstrap.servers": SERVERS, "group.id": "reader", "log_level": 2})
    consumer.assign([TopicPartition("before", 0, 0)])
    try:
        found = [each.value() for each in consumer.consume(len(RECORDS), PATIENCE_S)]
        assert {*consumer.list_topics(timeout=PATIENCE_S).topics} - {"__consumer_offsets"} == {
            "before"
        }
        return found
    finally:
        consumer.close()
