"""Real clusters for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime, runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.versions.catalogue import find_kafka


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "cluster" in item.path.parts:
            item.add_marker(pytest.mark.cluster)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def prepared() -> Callable[[str], Runtime]:
    """Jars and class archive of a Kafka, ready to start."""

    def prepare(name: str) -> Runtime:
        found = runtime(find_kafka(name))
        ensure_archive(found)
        return found

    return prepare


@pytest.fixture
def start_cluster(
    prepared: Callable[[str], Runtime], tmp_path: Path
) -> Iterator[Callable[..., KafkaCluster]]:
    """Starts clusters that end with the test."""
    started: list[KafkaCluster] = []

    def start(name: str, **spec: object) -> KafkaCluster:
        directory = tmp_path / f"cluster-{len(started)}"
        site = ProcessSite(prepared(name), directory)
        cluster = KafkaCluster(site, ClusterSpec(**spec))  # type: ignore[arg-type]
        started.append(cluster.__enter__())
        return cluster

    yield start
    for cluster in reversed(started):
        cluster.__exit__(None, None, None)
