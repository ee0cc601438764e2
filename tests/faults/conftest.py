"""Every fault on both backends: four brokers that every fault can be on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.grounds import play_on, required_engine

from highwater.backends import DOCKER, PROCESS, Backend, make_site
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.versions.catalogue import find_kafka

OFTEN = {(PROCESS, "0.11.0.3"), (DOCKER, "4.1.1")}
GROUNDS = [
    pytest.param(
        (backend, kafka),
        id=f"{backend}-{kafka}",
        marks=()
        if (backend, kafka) in OFTEN
        else pytest.mark.on_demand(together=f"tests/faults[{backend}-{kafka}]"),
    )
    for backend in (PROCESS, DOCKER)
    for kafka in ("0.11.0.3", "4.1.1")
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "faults" in item.path.parts:
            item.add_marker(pytest.mark.timeout(120))


@pytest.fixture(scope="session", params=GROUNDS)
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KafkaCluster]:
    backend, kafka = request.param
    if backend == DOCKER:
        with required_engine():
            pass
    directory = tmp_path_factory.mktemp("faults") / "cluster"
    ready = runtime(find_kafka(kafka))
    site = make_site(Backend(backend), ready, directory, lambda _text: None)
    spec = ClusterSpec(brokers=4, gated_metadata=True, fake_clock=True, obeys_file_modes=True)
    with KafkaCluster(site, spec) as started:
        yield started


@pytest.fixture
def backend(cluster: KafkaCluster) -> str:
    return PROCESS if type(cluster.site).__name__ == "ProcessSite" else DOCKER


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    """Brokers 1, 2 and 3 have the replicas; broker 4 has none."""
    settings = {"min.insync.replicas": "2", "message.timestamp.type": "LogAppendTime"}
    with play_on(cluster, request.node.name, tmp_path / "run", settings) as opened:
        yield opened
    for broker in cluster.brokers:
        cluster.nodes.await_serving(broker)


@pytest.fixture
def partition(play: Play) -> Partition:
    return play.partitions[0]
