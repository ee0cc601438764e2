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
# Brokers and who keeps their metadata: a controller, all of them, one of them, ZooKeeper servers.
APART, TOGETHER, FIRST, OLD = "compose.yaml", "combined.yaml", "single.yaml", "zookeeper.yaml"
SCENARIOS = {
    APART: "kip966-last-replica-standing",
    TOGETHER: "kafka19446-late-marker",
    FIRST: "kip966-last-replica-standing",
    OLD: "kafka13141-diverging-fetch",
}
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
        _compose(image, file, "up", "--detach")
        found = Foreign(client, release, file)
        found.await_up()
        yield found
    finally:
        _compose(image, file, "down", "--volumes", "--timeout", "5")
        client.images.remove(image, force=True)


def _compose(image: str, file: str, *words: str) -> None:
    done = subprocess.run(
        ["docker", "compose", "-p", NAME, "-f", str(LAYOUT / file), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env={**os.environ, "IMAGE": image},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _highwater(scenario: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "highwater.cli", "run", scenario, *words]


def _attached(foreign: Foreign, out: Path, trials: int) -> list[str]:
    words = ["--attach", f"compose:{NAME}", "--i-own-this-cluster", "--reruns", "4", "--json"]
    return _highwater(SCENARIOS[foreign.file], *words, "-n", str(trials), "-o", str(out))


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


def _says_the_same(one: dict[str, str], other: dict[str, str]) -> bool:
    """Of what both have evidence of: whether a reader met a transaction is not always the same."""
    decided = [claim for claim in one if "UNKNOWN" not in {one[claim], other[claim]}]
    violated = [{claim for claim in each if each[claim] == "VIOLATED"} for each in (one, other)]
    return (
        len(decided) > 10
        and violated[0] == violated[1]
        and all(one[claim] == other[claim] for claim in decided)
    )


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
@pytest.mark.parametrize(
    ("foreign", "ended"),
    [
        pytest.param((APART, "4.0.0"), "reproduced", id="4.0.0"),
        pytest.param((APART, "4.1.1"), "clean", id="4.1.1"),
        pytest.param((TOGETHER, "4.1.1"), "reproduced", id="4.1.1-combined"),
        pytest.param((FIRST, "3.9.1"), "reproduced", id="3.9.1-single"),
        pytest.param((OLD, "2.8.0"), "reproduced", id="2.8.0-zookeeper"),
    ],
    indirect=["foreign"],
)
def test_a_cluster_of_a_foreign_file_gives_the_verdicts_of_processes(
    foreign: Foreign, ended: str, tmp_path: Path
) -> None:
    _send()
    before = {each.id for each in foreign.containers}

    cell = _played(_attached(foreign, tmp_path / "attached", 3))

    assert cell[ended] == 3, cell
    alone = ["-n", "1", "--reruns", "2", "--json", "-o", str(tmp_path / "alone")]
    line = _highwater(SCENARIOS[foreign.file], "-k", foreign.release, *alone)
    assert _played(line)[ended] == 1
    (expected,) = _verdicts(tmp_path / "alone")[-1:]
    assert sum(_says_the_same(each, expected) for each in _verdicts(tmp_path / "attached")) >= 3
    identity = json.loads(next((tmp_path / "attached").rglob("run.json")).read_text())
    assert identity["image"] == f"{NAME}:{foreign.release}"
    assert identity["stands_in_for"] == NODES[foreign.file]
    assert identity.get("combined", False) is (foreign.file == TOGETHER)
    assert identity.get("divided", []) == ([1] if foreign.file == FIRST else [])
    foreign.await_up()
    assert {each.id for each in foreign.containers} == before
    assert _read() == RECORDS


@pytest.mark.on_demand
@pytest.mark.parametrize("foreign", [pytest.param((APART, "4.1.1"), id="4.1.1")], indirect=True)
def test_a_foreign_cluster_is_stopped_where_that_is_allowed_and_given_back_whatever_happens(
    foreign: Foreign, tmp_path: Path
) -> None:
    before, ids = ours(foreign.client), {each.id for each in foreign.containers}
    scenario = SCENARIOS[foreign.file]
    line = _highwater(scenario, "--attach", f"compose:{NAME}", "-o", str(tmp_path / "refused"))
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "say that this may be done to them" in done.stderr
    assert "--i-own-this-cluster" in done.stderr
    assert {each.id for each in foreign.containers} == ids

    running = subprocess.Popen(
        _attached(foreign, tmp_path / "out", 50),
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
