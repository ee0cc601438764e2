"""Hears what became of every test, of workers too, and writes the report: one per session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from highwater.pytest_plugin.choosing import chosen_backend, said_of_borrowing
from highwater.pytest_plugin.outcomes import ATTACHED_AS, Outcomes
from highwater.pytest_plugin.workers import REFUSED, SHARED, has_workers, kept_in


class Listener:
    """A plugin of the process that pytest was called as; workers have none."""

    def __init__(self, config: pytest.Config, outcomes: Outcomes) -> None:
        self._config = config
        self._outcomes = outcomes
        self._is_refused = False
        self._page: Path | None = None
        self._reach: Mapping[str, Any] = {}  # of a cluster that is attached
        self._rewritten: dict[str, Mapping[str, int]] = {}  # answers of brokers, by test

    @property
    def _out(self) -> Path | None:
        out: Path | None = self._config.getoption("--highwater-report")
        return out

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.nodeid == REFUSED:
            self._is_refused = True
        elif report.failed:
            self._outcomes.uncollected(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Say before the first test what the cluster that is attached lacks."""
        if session.testsfailed:
            return
        if not self._outcomes.expected and not has_workers(self._config):
            return  # there is no chaos test
        said = self._said_of_cluster()
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in said if terminal is not None else ():
            terminal.write_line(f"highwater: {line}")

    def _said_of_cluster(self) -> Sequence[str]:
        backend = chosen_backend(self._config)
        if backend.is_attached:
            from highwater.reach import reach  # noqa: PLC0415 - loads faults and claims

            self._reach = reach(backend.has).described()
            return list(self._reach["said"])
        return said_of_borrowing(self._config)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What others have made of the report is in it by now: xfail, for one."""
        self._outcomes.heard(report)
        told = json.loads(getattr(report, ATTACHED_AS, "null"))
        if told and told["account"] and told["account"]["rewritten"]:
            self._rewritten[report.nodeid] = told["account"]["rewritten"]
        if self._out is not None and self._outcomes and report.when in {"teardown", "???"}:
            from highwater.suites import keep_suite  # noqa: PLC0415 - loads Arrow and Jinja

            keep_suite(self._out, self._described(self._out))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._is_refused:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        refused = exitstatus == pytest.ExitCode.USAGE_ERROR  # perhaps the very directory
        wanted = not refused and not self._config.getoption("collectonly")
        if self._out is not None and self._outcomes and wanted:
            from highwater.suites import write_suite  # noqa: PLC0415 - loads Arrow and Jinja

            self._page = write_suite(self._out, self._described(self._out))

    def _described(self, out: Path) -> Mapping[str, Any]:
        attached = {"attached": self._reach} if self._reach else {}
        return {**self._outcomes.described(out), **attached}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines = [*self._outcomes.plays_again, *self._lies()]
        waits_s = self._outcomes.waits_s
        if waits_s:
            places = self._config.stash[SHARED].places
            lines.append(
                f"{len(waits_s)} tests waited {sum(waits_s):.1f} s in all for one of {places} "
                "places for a cluster; --highwater-clusters N has more of them at once"
            )
        kept = kept_in(self._config)
        if kept is not None and kept.exists():
            lines.append(f"records are kept in {kept}")
        if self._page is not None:
            lines.append(f"the report is {self._page}")
        for line in lines:
            terminalreporter.write_line(f"highwater: {line}")

    def _lies(self) -> Iterator[str]:
        if self._rewritten:
            from highwater.reports.rewritten import sentences  # noqa: PLC0415 - where it was so

            for test, rewritten in self._rewritten.items():
                yield f"brokers were made to lie in {test}: {'; '.join(sentences(rewritten))}"
