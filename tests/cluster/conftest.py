"""Real clusters for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.harness.cluster import ClusterSpec
from highwater.harness.processes.archive import ensure_archive
from highwater.harness.processes.cluster import ProcessCluster
from highwater.harness.processes.jvm import Runtime, runtime
from highwater.harness.versions.catalogue import find_kafka


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "cluster" in item.path.parts:
            item.add_marker(pytest.mark.cluster)
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
) -> Iterator[Callable[..., ProcessCluster]]:
    """Starts clusters that end with the test."""
    started: list[ProcessCluster] = []

    def start(name: str, **spec: object) -> ProcessCluster:
        directory = tmp_path / f"cluster-{len(started)}"
        cluster = ProcessCluster(prepared(name), ClusterSpec(**spec), directory)  # type: ignore[arg-type]
        started.append(cluster.__enter__())
        return cluster

    yield start
    for cluster in reversed(started):
        cluster.__exit__(None, None, None)
