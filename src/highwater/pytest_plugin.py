"""The pytest plugin: chaos tests against real Kafkas, with the judge's verdict at the end.

Loading it imports neither Spark nor a Kafka client: everything heavy waits until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from highwater.harness.kafka_cluster import KafkaCluster
    from highwater.harness.play import Play
    from highwater.testing import Performance, Suite

DEFAULT_KAFKA = "4.1.1"
PERFORMANCE: pytest.StashKey[Performance] = pytest.StashKey()
LAST_USER: pytest.StashKey[pytest.Item | None] = pytest.StashKey()  # of clusters
MARKER = (
    'highwater(kafka=">=0.11", trials=1, replicas=3, settings={}, topic={}, claims=(...)): '
    "which Kafkas a chaos test is for (a range of versions), how often it is played on each, "
    "and what its cluster and topic look like; claims are those that must hold (default: all); "
    "gated_clients, gated_metadata and malleable are what some faults need"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("highwater", "chaos tests against real Kafkas")
    group.addoption(
        "--kafka",
        action="append",
        default=[],
        metavar="VERSION",
        help=f"a Kafka to test against, such as 0.10.2.2 or 3.9.1-zk; repeatable "
        f"(default: {DEFAULT_KAFKA})",
    )
    group.addoption(
        "--kafka-backend",
        choices=("process", "docker"),
        default="process",
        help="where brokers run (default: process)",
    )
    group.addoption(
        "--highwater-report",
        type=Path,
        metavar="DIR",
        help="keep the runs and write report.html and compare.json there; must be new",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per Kafka that the marker's range allows, times its trials."""
    if "_kafka_and_trial" not in metafunc.fixturenames:
        return
    from highwater.harness.errors import UsageError  # noqa: PLC0415
    from highwater.harness.versions.catalogue import find_kafka, in_range  # noqa: PLC0415

    names: list[str] = metafunc.config.getoption("--kafka") or [DEFAULT_KAFKA]
    marker = metafunc.definition.get_closest_marker("highwater")
    options = marker.kwargs if marker else {}
    wanted = options.get("kafka")
    parameters = []
    for name in names:
        try:
            kafka = find_kafka(name)
            unfit = wanted is not None and not in_range(kafka.version, wanted)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        skip = pytest.mark.skip(reason=f"for Kafka {wanted}, not {name}")
        for trial in range(1, options.get("trials", 1) + 1):
            identity = name if options.get("trials", 1) == 1 else f"{name}-trial{trial}"
            marks = (skip,) if unfit else ()
            parameters.append(pytest.param((kafka.name, trial), id=identity, marks=marks))
    metafunc.parametrize("_kafka_and_trial", parameters, indirect=True, scope="function")


@pytest.fixture(scope="session")
def _suite(request: pytest.FixtureRequest) -> Generator[Suite]:
    from highwater.backends import Backend  # noqa: PLC0415
    from highwater.testing import suite  # noqa: PLC0415 - loads Spark and a Kafka client

    with suite(
        request.config.getoption("--highwater-report"),
        Backend(request.config.getoption("--kafka-backend")),
    ) as opened:
        yield opened


@pytest.fixture
def _kafka_and_trial(request: pytest.FixtureRequest) -> tuple[str, int]:
    named: tuple[str, int] = request.param
    return named


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest, _suite: Suite, _kafka_and_trial: tuple[str, int]
) -> KafkaCluster:
    """A running cluster of the Kafka under test, shared by tests that ask for the same settings.

    Every broker serves when a test gets it; one that a test has left unwell is replaced.
    """
    marker = request.node.get_closest_marker("highwater")
    return _suite.cluster(_kafka_and_trial[0], marker.kwargs if marker else {})


@pytest.fixture
def play(
    request: pytest.FixtureRequest,
    _suite: Suite,
    _kafka_and_trial: tuple[str, int],
    kafka_cluster: KafkaCluster,
) -> Generator[Play]:
    """A topic to play with, everything on the record; a violated claim fails the test.

    When the test is over its faults are healed, the replicas settle, the topic is read to its end,
    and the record is judged. No evidence is a failure as well.
    """
    marker = request.node.get_closest_marker("highwater")
    options = dict(marker.kwargs) if marker else {}
    name = request.node.originalname
    performance = _suite.performance(kafka_cluster, name, _kafka_and_trial, options)
    request.node.stash[PERFORMANCE] = performance
    yield performance.begin()
    performance.end()


def pytest_collection_finish(session: pytest.Session) -> None:
    users = [item for item in session.items if "_suite" in getattr(item, "fixturenames", ())]
    session.config.stash[LAST_USER] = users[-1] if users else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """No cluster idles beside tests that need none."""
    opened: Suite | None = getattr(item, "funcargs", {}).get("_suite")
    result = yield
    if opened is not None and item is item.config.stash[LAST_USER]:
        opened.close_clusters()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """The verdict belongs to the test's own phase: what it finds is a failure, not an error."""
    result = yield
    performance = item.stash.get(PERFORMANCE, None)
    problem = performance.end() if performance else ""
    if problem:
        pytest.fail(problem, pytrace=False)
    return result
