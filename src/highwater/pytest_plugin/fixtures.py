"""The fixtures of chaos tests: a cluster, a play on it, and the one partition of a topic."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from highwater.harness.errors import HighwaterError, InfrastructureError
from highwater.pytest_plugin.outcomes import ENVIRONMENT, RUN, WAITED_S, command_of
from highwater.pytest_plugin.workers import grounds_of

if TYPE_CHECKING:
    from highwater.harness.partition import Partition
    from highwater.harness.play import Play
    from highwater.testing import AnyCluster, Performance, Suite

PERFORMANCE: pytest.StashKey[Performance] = pytest.StashKey()


@contextmanager
def _without_traceback(node: pytest.Item) -> Generator[None]:
    """What Highwater raises on purpose says by itself what is wrong."""
    try:
        yield
    except HighwaterError as error:
        node.stash[ENVIRONMENT] = isinstance(error, InfrastructureError)
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def _suite(request: pytest.FixtureRequest) -> Generator[Suite]:
    from highwater.testing import suite  # noqa: PLC0415 - loads Spark and a Kafka client

    with suite(grounds_of(request.config)) as opened:
        yield opened


@pytest.fixture
def _kafka_and_trial(request: pytest.FixtureRequest) -> tuple[str, int]:
    """Stands before `_suite` wherever both are named: where there is none, nothing has started."""
    if not hasattr(request, "param"):
        from highwater.pytest_plugin.collecting import ASKED_LATE  # noqa: PLC0415

        pytest.fail(ASKED_LATE, pytrace=False)
    named: tuple[str, int] = request.param
    return named


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest, _kafka_and_trial: tuple[str, int], _suite: Suite
) -> AnyCluster:
    """A running cluster of the Kafka under test, shared by tests that ask for the same settings.

    Every broker serves when a test gets it; one that a test has left unwell is replaced.
    """
    from highwater.pytest_plugin.collecting import marked  # noqa: PLC0415

    waited_s = _suite.waited_s
    with _without_traceback(request.node):
        cluster = _suite.cluster(_kafka_and_trial[0], marked(request.node))
    request.node.stash[WAITED_S] = _suite.waited_s - waited_s
    return cluster


@pytest.fixture
def play(
    request: pytest.FixtureRequest,
    _kafka_and_trial: tuple[str, int],
    _suite: Suite,
    kafka_cluster: AnyCluster,
) -> Generator[Play]:
    """Topics, faults and clients, everything on the record; a violated claim fails the test.

    When the test is over its faults are healed, the replicas settle, topics are read to their ends,
    and the record is judged. No evidence, or a precondition that was not met, is a failure as well,
    and says "inconclusive".
    """
    from highwater.pytest_plugin.collecting import marked  # noqa: PLC0415
    from highwater.testing import ChaosTest  # noqa: PLC0415

    kafka, trial = _kafka_and_trial
    test = ChaosTest(
        node_id=request.node.nodeid,
        name=request.node.name,
        command=command_of(request.node),
        kafka=kafka,
        trial=trial,
        marked=marked(request.node),
    )
    performance = _suite.performance(kafka_cluster, test)
    request.node.stash[PERFORMANCE] = performance
    request.node.stash[RUN] = performance.run
    with _without_traceback(request.node):
        opened = performance.begin()
    yield opened
    performance.leave("the test did not come to its end")


@pytest.fixture
def partition(request: pytest.FixtureRequest, play: Play) -> Partition:
    """The one partition of a topic that is as the marker says."""
    from highwater.pytest_plugin.collecting import marked  # noqa: PLC0415

    chosen = marked(request.node)
    with _without_traceback(request.node):
        return play.topic(replicas=chosen.replicas, settings=chosen.topic_settings)[0]
