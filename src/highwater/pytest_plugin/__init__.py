"""The pytest plugin: chaos tests against real Kafkas, with the judge's verdict at the end.

Loading it imports neither Spark nor a Kafka client: everything heavy waits until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from highwater.harness.errors import InfrastructureError
from highwater.pytest_plugin import reruns, workers
from highwater.pytest_plugin.accounts import account_of
from highwater.pytest_plugin.arguments import PARAMETER
from highwater.pytest_plugin.choosing import kafkas_asked_for
from highwater.pytest_plugin.fixtures import (
    PERFORMANCE,
    _kafka_and_trial,
    _suite,
    kafka_cluster,
    partition,
    play,
)
from highwater.pytest_plugin.listening import Listener
from highwater.pytest_plugin.outcomes import (
    ACCOUNT,
    ATTACHED_AS,
    ENVIRONMENT,
    RERUN,
    Outcomes,
    attach,
    is_chaos_test,
)
from highwater.pytest_plugin.words import MARKER, add_options

if TYPE_CHECKING:
    from highwater.testing import Suite

__all__ = ["_kafka_and_trial", "_suite", "kafka_cluster", "partition", "play"]  # for pytest

LEFT_OFF = (pytest.skip.Exception, pytest.xfail.Exception)
OF_A_TEST = Exception | pytest.fail.Exception  # what a test's own code raises, and no Ctrl-C
LAST_USER: pytest.StashKey[pytest.Item | None] = pytest.StashKey()  # of clusters
OUTCOMES: pytest.StashKey[Outcomes] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.stash[OUTCOMES] = Outcomes(config)
    if workers.given(config) is None:
        config.pluginmanager.register(Listener(config, config.stash[OUTCOMES]))


# -- before anything starts


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per Kafka, times the marker's trials."""
    if PARAMETER in metafunc.fixturenames:
        from highwater.pytest_plugin.collecting import plays  # noqa: PLC0415

        named = kafkas_asked_for(metafunc.config)
        metafunc.parametrize(PARAMETER, plays(metafunc.definition, named), indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Skips what is for other Kafkas; raises UsageError, with every mistake, before that."""
    chaos_tests = [item for item in items if is_chaos_test(item)]
    if not chaos_tests and not config.stash[OUTCOMES]:
        return
    from highwater.pytest_plugin.collecting import mistakes, skip_other_kafkas  # noqa: PLC0415

    found = mistakes(config, chaos_tests)
    if found:
        workers.refuse(session, items, found)
        return
    skip_other_kafkas(chaos_tests)
    config.stash[OUTCOMES].expected = [item.nodeid for item in chaos_tests]


def pytest_collection_finish(session: pytest.Session) -> None:
    users = [item for item in session.items if "_suite" in getattr(item, "fixturenames", ())]
    session.config.stash[LAST_USER] = users[-1] if users else None


# -- with pytest-xdist


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers find results of one another in the report's directory: its controller looks first."""
    if workers.has_workers(session.config):
        from highwater.pytest_plugin.collecting import mistake_in_report  # noqa: PLC0415

        mistake = mistake_in_report(session.config)
        if mistake:
            raise pytest.UsageError(mistake)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    workers.share(config, len(specs))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    workers.inform(node.config, node.workerinput)


# -- what became of the tests


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not is_chaos_test(item) or not reruns.is_ours(item.config):
        return None
    reruns.play_until_it_says_something(item, nextitem)
    return True


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
        is_open = account.outcome == "inconclusive"
        item.stash[ENVIRONMENT] = is_open and isinstance(raised, InfrastructureError)
        if account.text:  # it says all: what was raised would only be shown beside it
            raise pytest.fail.Exception(account.text, pytrace=False) from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """No cluster idles beside tests that need none."""
    opened: Suite | None = getattr(item, "funcargs", {}).get("_suite")
    result = yield
    is_last = item is item.config.stash[LAST_USER] or workers.has_little_room(item.config)
    if opened is not None and is_last:
        opened.close_clusters()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if is_chaos_test(item):
        raised = call.excinfo.exconly(tryshort=True).partition("\n")[0] if call.excinfo else ""
        attach(item, report, raised, item.config.stash[OUTCOMES].told_once())
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, object] | None:
    """What `reruns` says of a play that was not the last one."""
    if report.outcome != RERUN or not hasattr(report, ATTACHED_AS):
        return None
    return RERUN, "R", ("RERUN", {"yellow": True})
