"""Plays a chaos test again where its environment failed, and for no other reason.

A violated claim is never looked at twice: a second play that holds says nothing of the record that
was lost in the first one. So a plugin that plays failed tests again is kept from chaos tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from highwater.pytest_plugin.fixtures import PERFORMANCE
from highwater.pytest_plugin.outcomes import ACCOUNT, ENVIRONMENT, RERUN, RUN, WAITED_S

OTHERS = "rerunfailures"  # pytest-rerunfailures, as pytest knows it
OF_A_PLAY: Sequence[pytest.StashKey[Any]] = (ACCOUNT, ENVIRONMENT, PERFORMANCE, RUN, WAITED_S)


def is_ours(config: pytest.Config) -> bool:
    """Whether it is for us to say how often chaos tests are played."""
    return bool(config.getoption("--highwater-reruns")) or config.pluginmanager.hasplugin(OTHERS)


def play_until_it_says_something(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """As pytest plays a test, and up to so many times again; each play is reported."""
    most: int = item.config.getoption("--highwater-reruns")
    for number in itertools.count():
        for key in OF_A_PLAY:
            if key in item.stash:
                del item.stash[key]
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = number < most and _failed_by_environment(item, reports)
        for report in reports:
            if again and report.failed:
                report.outcome = RERUN  # type: ignore[assignment]  # as others call it, too
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if not again:
            return


def _failed_by_environment(item: pytest.Item, reports: Sequence[pytest.TestReport]) -> bool:
    failed = any(report.failed for report in reports)
    is_stopping = item.session.shouldstop or item.session.shouldfail
    return failed and item.stash.get(ENVIRONMENT, False) and not is_stopping
