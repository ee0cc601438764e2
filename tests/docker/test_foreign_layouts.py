"""A compose project with the layout of apache/kafka's image, attached without knowing it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from docker.models.containers import Container
from tests.docker.test_leftovers import ours

from highwater.compose.attached import project_of
from highwater.compose.images import ensure_image
from highwater.compose.labels import PROJECT
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import runtime
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

LAYOUT = Path(__file__).with_name("official")
NAME, SERVERS = "highwater-test-foreign", "localhost:29092,localhost:39092,localhost:49092"
SCENARIO = "kip966-last-replica-standing"
PATIENCE_S = 180  # a broker that has a process may be long from serving
RECORDS = [b"what was there before", b"and stays"]


@dataclass(frozen=True)
class Foreign:
    """The project, and the release of its image."""

    client: docker.DockerClient
    release: str

    @property
    def containers(self) -> list[Container]:
        return list(self.client.containers.list(filters={"label": f"{PROJECT}={NAME}"}))

    def is_up(self) -> bool:
        try:
            return project_of(NAME).brokers == 3
        except UsageError:
            return False

    def await_up(self) -> None:
        wait_until(self.is_up, "three brokers and a controller", PATIENCE_S, interval_s=1)


@pytest.fixture
def foreign(
    request: pytest.FixtureRequest, client: docker.DockerClient, tmp_path: Path
) -> Iterator[Foreign]:
    """Three brokers and a controller, as somebody would start them."""
    kafka = runtime(find_kafka(request.param))
    base, image = ensure_image(kafka.kafka, kafka.jars).name, f"{NAME}:{request.param}"
    client.images.build(path=str(LAYOUT), tag=image, buildargs={"BASE": base}, rm=True)
    try:
        _compose(image, "up", "--detach")
        found = Foreign(client, request.param)
        found.await_up()
        yield found
    finally:
        _compose(image, "down", "--volumes", "--timeout", "5")
        client.images.remove(image, force=True)


def _compose(image: str, *words: str) -> None:
    done = subprocess.run(
        ["docker", "compose", "-p", NAME, "-f", str(LAYOUT / "compose.yaml"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env={**os.environ, "IMAGE": image},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _highwater(*words: str) -> list[str]:
    return [sys.executable, "-m", "highwater.cli", "run", SCENARIO, *words]


def _attached(out: Path, trials: int) -> list[str]:
    where = ["--attach", f"compose:{NAME}", "--i-own-this-cluster"]
    return _highwater(*where, "-n", str(trials), "--reruns", "4", "--json", "-o", str(out))


def _played(line: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, timeout=1500, env=os.environ.copy()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    return dict(cell)


def _verdicts(out: Path) -> list[dict[str, str]]:
    """Of each trial that proves something, what is said of each claim."""
    told = []
    for place in sorted(out.rglob("verdicts.json")):
        verdicts = json.loads(place.read_text())["verdicts"]
        told.append({each["claim"]: each["answer"] for each in verdicts})
    return told


def _send() -> None:
    producer = Producer({"bootstrap.servers": SERVERS, "log_level": 2})
    for each in RECORDS:
        producer.produce("before", each, partition=0)
    assert producer.flush(PATIENCE_S) == 0


def _read() -> list[bytes | None]:
    consumer = Consumer({"bootstrap.servers": SERVERS, "group.id": "reader", "log_level": 2})
    consumer.assign([TopicPartition("before", 0, 0)])
    try:
        read = [each.value() for each in consumer.consume(len(RECORDS), PATIENCE_S)]
        assert {*consumer.list_topics(timeout=PATIENCE_S).topics} - {"__consumer_offsets"} == {
            "before"
        }
        return read
    finally:
        consumer.close()


@pytest.mark.on_demand
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("foreign", ["4.0.0", "4.1.1"], indirect=True)
def test_a_cluster_of_a_foreign_file_gives_the_verdicts_of_processes(
    foreign: Foreign, tmp_path: Path
) -> None:
    _send()
    before = {each.id for each in foreign.containers}

    cell = _played(_attached(tmp_path / "attached", 3))

    ended = "reproduced" if foreign.release == "4.0.0" else "clean"
    assert cell[ended] == 3, cell
    alone = ["-n", "1", "--reruns", "2", "--json", "-o", str(tmp_path / "alone")]
    assert _played(_highwater("-k", foreign.release, *alone))[ended] == 1
    (expected,) = _verdicts(tmp_path / "alone")[-1:]
    assert [each for each in _verdicts(tmp_path / "attached") if each == expected][2:]
    identity = json.loads(next((tmp_path / "attached").rglob("run.json")).read_text())
    assert identity["image"] == f"{NAME}:{foreign.release}"
    assert identity["stands_in_for"] == ["controller-1", "kafka-1", "kafka-2", "kafka-3"]
    foreign.await_up()
    assert {each.id for each in foreign.containers} == before
    assert _read() == RECORDS


@pytest.mark.on_demand
@pytest.mark.parametrize("foreign", ["4.1.1"], indirect=True)
def test_a_foreign_cluster_is_stopped_where_that_is_allowed_and_given_back_whatever_happens(
    foreign: Foreign, tmp_path: Path
) -> None:
    before, ids = ours(foreign.client), {each.id for each in foreign.containers}
    line = _highwater("--attach", f"compose:{NAME}", "-o", str(tmp_path / "refused"))
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "a compose file of your own" in done.stderr
    assert "--i-own-this-cluster" in done.stderr
    assert {each.id for each in foreign.containers} == ids

    running = subprocess.Popen(
        _attached(tmp_path / "out", 50),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ.copy(),
    )
    wait_until(lambda: len(ours(foreign.client) - before) >= 5, "stand-ins to run", 240)
    assert not foreign.containers

    os.kill(running.pid, signal.SIGKILL)
    running.wait()

    foreign.await_up()
    assert {each.id for each in foreign.containers} == ids
    wait_until(lambda: ours(foreign.client) <= before, "nothing of ours to be left", 60)
