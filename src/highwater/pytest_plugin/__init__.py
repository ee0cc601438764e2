"""The pytest plugin: chaos tests against real Kafkas, with the judge's verdict at the end.

Loading it imports neither Spark nor a Kafka client: everything heavy waits until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from highwater.harness.errors import HighwaterError
from highwater.pytest_plugin.outcomes import (
    ACCOUNT,
    PARAMETER,
    RUN,
    Outcomes,
    account_of,
    chosen_backend,
    command_of,
    is_chaos_test,
)

if TYPE_CHECKING:
    from highwater.harness.partition import Partition
    from highwater.harness.play import Play
    from highwater.testing import AnyCluster, Performance, Suite

DEFAULT_KAFKA = "4.1.1"
LEFT_OFF = (pytest.skip.Exception, pytest.xfail.Exception)
OF_A_TEST = Exception | pytest.fail.Exception  # what a test's own code raises, and no Ctrl-C
PERFORMANCE: pytest.StashKey[Performance] = pytest.StashKey()
LAST_USER: pytest.StashKey[pytest.Item | None] = pytest.StashKey()  # of clusters
OUTCOMES: pytest.StashKey[Outcomes] = pytest.StashKey()
PAGE: pytest.StashKey[Path] = pytest.StashKey()  # of the report, when it is written
MARKER = (
    'highwater(kafka=">=0.11", trials=1, replicas=3, voters=1, settings={}, topic={}, '
    "claims=(...), limits={}): "
    "which Kafkas a chaos test is for (a range of versions), how often it is played on each, and "
    "what its cluster and topic look like (1 or 3 voters: KRaft controllers or ZooKeeper servers, "
    "brokers with combined=True); claims are those that must hold (default: all); "
    'limits are what may take so long at most, such as {"longest_gap_ms": 10_000}; '
    "gated_clients, gated_metadata, fake_clock and obeys_file_modes are what some faults need"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("highwater", "chaos tests against real Kafkas")
    group.addoption(
        "--kafka",
        action="append",
        default=[],
        metavar="VERSION",
        help=f"a Kafka, such as 0.10.2.2 or 3.9.1-zk; repeatable (default: {DEFAULT_KAFKA})",
    )
    group.addoption(
        "--kafka-backend",
        choices=("process", "docker"),
        default="process",
        help="where brokers run (default: process)",
    )
    group.addoption(
        "--kafka-attach", metavar="HOST:PORT,...", help="a cluster to play on, of the one --kafka"
    )
    group.addoption(
        "--highwater-report",
        type=Path,
        metavar="DIR",
        help="keep the runs and write report.html, suite.json, junit.xml, summary.md there: in a "
        "directory that is made, or holds no results yet",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.stash[OUTCOMES] = Outcomes(config)


# -- before anything starts


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per Kafka, times the marker's trials."""
    if PARAMETER in metafunc.fixturenames:
        from highwater.pytest_plugin.collecting import plays  # noqa: PLC0415

        named = _kafkas(metafunc.config)
        metafunc.parametrize(PARAMETER, plays(metafunc.definition, named), indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skips what is for other Kafkas; raises UsageError, with every mistake, before that."""
    chaos_tests = [item for item in items if is_chaos_test(item)]
    if not chaos_tests and not config.stash[OUTCOMES]:
        return
    from highwater.pytest_plugin.collecting import mistakes, skip_other_kafkas  # noqa: PLC0415

    found = mistakes(config, chaos_tests)
    if found:
        raise pytest.UsageError("\n".join(found))
    skip_other_kafkas(chaos_tests)
    config.stash[OUTCOMES].expected = [item.nodeid for item in chaos_tests]


def pytest_collection_finish(session: pytest.Session) -> None:
    users = [item for item in session.items if "_suite" in getattr(item, "fixturenames", ())]
    session.config.stash[LAST_USER] = users[-1] if users else None


def _kafkas(config: pytest.Config) -> list[str]:
    named: list[str] = config.getoption("--kafka")
    return list(dict.fromkeys(named)) or [DEFAULT_KAFKA]


# -- fixtures


@contextmanager
def _without_traceback() -> Generator[None]:
    """What Highwater raises on purpose says by itself what is wrong."""
    try:
        yield
    except HighwaterError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def _suite(request: pytest.FixtureRequest) -> Generator[Suite]:
    from highwater.testing import suite  # noqa: PLC0415 - loads Spark and a Kafka client

    out: Path | None = request.config.getoption("--highwater-report")
    with suite(out and out.resolve(), chosen_backend(request.config)) as opened:
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

    with _without_traceback():
        return _suite.cluster(_kafka_and_trial[0], marked(request.node))


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
    with _without_traceback():
        opened = performance.begin()
    yield opened
    performance.leave("the test did not come to its end")


@pytest.fixture
def partition(request: pytest.FixtureRequest, play: Play) -> Partition:
    """The one partition of a topic that is as the marker says."""
    from highwater.pytest_plugin.collecting import marked  # noqa: PLC0415

    chosen = marked(request.node)
    with _without_traceback():
        return play.topic(replicas=chosen.replicas, settings=chosen.topic_settings)[0]


# -- what became of the tests


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """The verdict belongs to the test's own phase: what it finds is a failure, not an error."""
    if not is_chaos_test(item):
        return (yield)
    try:
        result = yield
    except BaseException as error:
        _end_play(item, error)
        raise
    _end_play(item, None)
    return result


def _end_play(item: pytest.Item, raised: BaseException | None) -> None:
    """End what the test played, if it did, and fail the test where there is a reason."""
    performance = item.stash.get(PERFORMANCE, None)
    if isinstance(raised, LEFT_OFF):
        if performance:
            performance.leave(f"the test left off: {raised}")
        return
    if isinstance(raised, pytest.exit.Exception) or not isinstance(raised, OF_A_TEST | None):
        if performance:
            performance.abandon(raised)
        return
    account = performance.end(raised) if performance else None
    if raised is not None:
        account = account_of(raised, account, item)
    if account:
        item.stash[ACCOUNT] = account
        if account.text:  # it says all: what was raised would only be shown beside it
            raise pytest.fail.Exception(account.text, pytrace=False) from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """No cluster idles beside tests that need none."""
    opened: Suite | None = getattr(item, "funcargs", {}).get("_suite")
    result = yield
    if opened is not None and item is item.config.stash[LAST_USER]:
        opened.close_clusters()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """First of all, so that it sees what the others have made of the report: xfail, for one."""
    report = yield
    if is_chaos_test(item):
        raised = call.excinfo.exconly(tryshort=True).partition("\n")[0] if call.excinfo else ""
        outcomes = item.config.stash[OUTCOMES]
        outcomes.heard(item, report, raised)
        out: Path | None = item.config.getoption("--highwater-report")
        if out is not None and report.when == "teardown":
            from highwater.suites import keep_suite  # noqa: PLC0415 - loads Arrow and Jinja

            keep_suite(out, outcomes.described(out))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.failed:
        collector.config.stash[OUTCOMES].uncollected(report)
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    out: Path | None = session.config.getoption("--highwater-report")
    outcomes = session.config.stash[OUTCOMES]
    refused = exitstatus == pytest.ExitCode.USAGE_ERROR  # perhaps the very directory
    if out is None or not outcomes or refused or session.config.getoption("collectonly"):
        return
    from highwater.suites import write_suite  # noqa: PLC0415 - loads Arrow and Jinja

    session.config.stash[PAGE] = write_suite(out, outcomes.described(out))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if PAGE in config.stash:
        terminalreporter.write_line(f"highwater: the report is {config.stash[PAGE]}")
