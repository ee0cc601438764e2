"""Docker for tests: without an engine they are skipped, or fail where HIGHWATER_REQUIRE says so."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import docker
import pytest
from tests.docker.foreign import foreign  # noqa: F401 - a fixture
from tests.grounds import required_engine

from highwater.backends import DOCKER, Backend, make_site
from highwater.compose.base import build_base
from highwater.compose.images import ensure_image
from highwater.compose.site import DockerSite
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.versions.catalogue import find_kafka

CLEAN = "highwater/clean:bookworm"
CLEAN_PACKAGES = ("openjdk-17-jre-headless", "python3-venv")

MakeSite = Callable[[str], DockerSite]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "docker" in item.path.parts:
            item.add_marker(pytest.mark.docker)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session", autouse=True)
def client() -> Iterator[docker.DockerClient]:
    with required_engine() as opened:
        yield opened


@pytest.fixture(scope="session")
def clean(client: docker.DockerClient) -> str:
    """An image of a stranger's machine: Debian, its Python, a Java."""
    if not client.images.list(CLEAN):
        build_base(lambda _text: None, CLEAN, CLEAN_PACKAGES)
    return CLEAN


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> MakeSite:
    """Ground for a cluster of containers."""

    def make(name: str) -> DockerSite:
        directory = tmp_path_factory.mktemp("site") / "cluster"
        backend = Backend(DOCKER)
        made = make_site(backend, runtime(find_kafka(name)), directory, lambda _text: None)
        assert isinstance(made, DockerSite)
        return made

    return make


@pytest.fixture
def start_cluster(site: MakeSite) -> Iterator[Callable[..., KafkaCluster]]:
    """Starts clusters that end with the test."""
    started: list[KafkaCluster] = []

    def start(name: str, **spec: object) -> KafkaCluster:
        cluster = KafkaCluster(site(name), ClusterSpec(**spec))  # type: ignore[arg-type]
        started.append(cluster.__enter__())
        return cluster

    yield start
    for cluster in reversed(started):
        cluster.__exit__(None, None, None)


@pytest.fixture
def published(client: docker.DockerClient) -> Iterator[str]:
    """An image laid out as apache/kafka is, with nothing of ours in it."""
    kafka = runtime(find_kafka("4.1.1"))
    ours = ensure_image(kafka.kafka, kafka.jars)
    name = "highwater-test/published:4.1.1"
    lines = f"FROM {ours.name}\nRUN mkdir /opt/kafka && mv /highwater/libs /opt/kafka/libs"
    client.images.build(fileobj=io.BytesIO(lines.encode()), tag=name, rm=True)
    yield name
    client.images.remove(name, force=True)
