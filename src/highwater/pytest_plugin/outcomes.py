"""What became of each chaos test of a pytest session: pytest's own words, and the judge's.

The plugin always loads this; nothing heavy is imported before there is a report to write.
"""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from highwater.account import SUITE_SCHEMA, Account, inconclusive
from highwater.backends import PROCESS
from highwater.pytest_plugin.arguments import Argument, arguments_of, kafka_and_trial
from highwater.pytest_plugin.choosing import ATTACH, chosen_backend, said_of_attached

WORDS = ("failed", "inconclusive", "error", "passed", "skipped")
SUMMARY = ("failed", "passed", "skipped", "xfailed", "xpassed", "error")  # in pytest's own order
Names = Sequence[str]

ACCOUNT: pytest.StashKey[Account] = pytest.StashKey()
RUN: pytest.StashKey[str] = pytest.StashKey()
ENVIRONMENT: pytest.StashKey[bool] = pytest.StashKey()  # it was what failed
WAITED_S: pytest.StashKey[float] = pytest.StashKey()  # for room for a cluster
RERUN = "rerun"  # pytest's word for a play that was not the last one
ATTACHED_AS = "highwater"  # to reports of pytest, by which workers tell their controller
CRASHED = "the process that played it ended, so nothing was judged"


@dataclass(slots=True, kw_only=True)
class Case:
    """One test, and what pytest has reported of it so far."""

    test: str  # pytest's node id
    command: str  # that repeats it
    backend: str
    kafka: str | None = None
    trial: int | None = None
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)  # of pytest's summary: what it counts it as
    reasons: list[str] = field(default_factory=list)  # a line each
    texts: list[str] = field(default_factory=list)
    seconds: float = 0.0
    account: Account | None = None
    run: str | None = None  # the run directory, relative to the report
    worker: str | None = None  # of pytest-xdist
    waited_s: float = 0.0
    before: list[str] = field(default_factory=list)  # why it was played again

    @property
    def is_over(self) -> bool:
        return bool({*self.words} - {RERUN})

    @property
    def outcome(self) -> str:
        """One word: pytest's own, but that inconclusive stands apart from failed."""
        if "failed" in self.words:
            return self._judged.outcome if self._judged else "failed"
        if "error" in self.words:
            return "error"
        return "skipped" if {"skipped", "xfailed"} & {*self.words} else "passed"

    @property
    def _judged(self) -> Account | None:
        """What was said of the play, if that is what made the test fail."""
        said = self.account
        return said if said and said.outcome != "passed" and "failed" in self.words else None

    def described(self) -> dict[str, Any]:
        """As suite.json has it."""
        judged = self._judged
        first = self.reasons[0] if self.reasons else ""
        return {
            "test": self.test,
            "outcome": self.outcome,
            "pytest": self.words,
            "reason": judged.reason if judged and judged.reason else first,
            "text": "\n\n".join(self.texts),
            "violated": list(judged.violated) if judged else [],
            "kafka": self.kafka,
            "trial": self.trial,
            "arguments": self.arguments,
            "backend": self.backend,
            "seconds": round(self.seconds, 1),
            "command": self.command,
            "run": self.run,
            "reruns": self.before,
            "worker": self.worker,
        }


class Outcomes:
    """Every chaos test of a session, in the order in which they ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cases: dict[str, Case] = {}
        self.expected: Names = ()  # node ids of what was to run
        self._is_told = False
        self._started_at = datetime.now(UTC).isoformat(timespec="milliseconds")

    def told_once(self) -> Names:
        """What was to run, for the first report of this process; nothing for the others."""
        told, self._is_told = self._is_told, True
        return () if told else self.expected

    def heard(self, report: pytest.TestReport) -> None:
        """Take in what pytest reports of a phase of a test, be it of a worker's."""
        told = json.loads(getattr(report, ATTACHED_AS, "null")) or self._crashed(report)
        if told is None:
            return
        self.expected = told["expected"] or self.expected
        if report.when == "setup" or report.nodeid not in self._cases:
            self._cases[report.nodeid] = _begun(told["case"], self._cases.get(report.nodeid))
        case = self._cases[report.nodeid]
        case.seconds += report.duration
        case.account, case.run = _account(told["account"]), told["run"]
        case.waited_s = told["waited_s"]
        # What pytest counts in its summary; "" for a phase that it does not count.
        word = self._config.hook.pytest_report_teststatus(report=report, config=self._config)[0]
        if word:
            case.words.append(word)
            reason = _reason(report, told["raised"])
            case.reasons += [reason] if reason else []
        if report.failed:
            case.texts.append(report.longreprtext)

    def _crashed(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """What pytest-xdist says of a test whose worker has ended; None of what is not ours."""
        if str(report.when) != "???" or report.nodeid not in self.expected:
            return None
        known = self._cases.get(report.nodeid)
        command = known.command if known else shlex.join(["pytest", report.nodeid])
        case = {"test": report.nodeid, "command": command, "backend": self._backend}
        account = asdict(inconclusive(CRASHED))
        said = {"expected": (), "raised": "", "waited_s": 0.0, "run": known and known.run}
        return {"case": case, "account": account, **said}

    def uncollected(self, report: pytest.CollectReport) -> None:
        """A file or class that could not even be read: nobody knows which tests it has."""
        text = report.longreprtext
        command = shlex.join(["pytest", report.nodeid])
        self._cases[report.nodeid] = Case(
            test=report.nodeid,
            command=command,
            backend=self._backend,
            words=["error"],
            reasons=[f"not collected: {(text.splitlines() or ['?'])[-1].strip()}"],
            texts=[text],
        )

    def described(self, directory: Path) -> dict[str, Any]:
        """The content of suite.json; no text in it says where the report was made."""
        cases = [case for case in self._cases.values() if case.is_over]
        ran = {case.test for case in cases}
        return {
            "schema": SUITE_SCHEMA,
            "tool": f"highwater {metadata.version('highwater')}",
            "started_at": self._started_at,
            "outcomes": _counted([case.outcome for case in cases], WORDS),
            "pytest": _counted([word for case in cases for word in case.words], SUMMARY),
            "not_run": [test for test in self.expected if test not in ran],
            "tests": [_without(case.described(), f"{directory.resolve()}/") for case in cases],
        }

    def __bool__(self) -> bool:
        return bool(self._cases)

    @property
    def plays_again(self) -> list[str]:
        """A line for each test that was played more than once."""
        cases = [case for case in self._cases.values() if case.before]
        return [f"{case.test} was played again: {'; '.join(case.before)}" for case in cases]

    @property
    def waits_s(self) -> list[float]:
        """How long each test waited for room for its cluster, of those that did."""
        return [case.waited_s for case in self._cases.values() if case.waited_s]

    @property
    def _backend(self) -> str:
        return chosen_backend(self._config).name


def attach(item: pytest.Item, report: pytest.TestReport, raised: str, expected: Names) -> None:
    """Put what `heard` needs to know beside pytest's report, in words that travel.

    `raised` is the exception in a line; `expected` are the tests that are to run, said once.
    """
    kafka, trial = kafka_and_trial(item)
    config = item.config
    case = {
        "test": item.nodeid,
        "command": command_of(item),
        "backend": chosen_backend(config).name,
        "kafka": kafka,
        "trial": trial,
        "arguments": arguments_of(item),
        "worker": getattr(config, "workerinput", {}).get("workerid"),
    }
    account = item.stash.get(ACCOUNT, None)
    told = {
        "case": case,
        "account": asdict(account) if account else None,
        "run": item.stash.get(RUN, None),
        "waited_s": item.stash.get(WAITED_S, 0.0),
        "raised": raised,
        "expected": list(expected),
    }
    setattr(report, ATTACHED_AS, json.dumps(told))


def _begun(told: Mapping[str, Any], before: Case | None) -> Case:
    """A case; one that is played again knows what has been said of it before."""
    case = Case(**told)
    if before is not None and RERUN in before.words:
        case.words = [word for word in before.words if word == RERUN]
        said = before.account.reason if before.account else before.reasons[0]
        case.before = [*before.before, said]
        case.seconds = before.seconds
    return case


def _account(told: Mapping[str, Any] | None) -> Account | None:
    return None if told is None else Account(**told)


def is_chaos_test(item: pytest.Item) -> bool:
    """Whether a test is ours: it has one of the fixtures, or the marker."""
    asked = getattr(item, "fixturenames", ())
    return "_suite" in asked or item.get_closest_marker("highwater") is not None


def command_of(item: pytest.Item) -> str:
    """The command line that repeats this very test, from where pytest was called."""
    path = os.path.relpath(item.path, item.config.invocation_params.dir)
    words = ["pytest", "::".join([path, *item.nodeid.split("::")[1:]])]
    kafka, _ = kafka_and_trial(item)
    backend, attached = chosen_backend(item.config), item.config.getoption(ATTACH)
    words += ["--kafka", kafka] if kafka else []
    if attached is not None:
        words += [ATTACH, attached, *said_of_attached(item.config)]
    elif backend.name != PROCESS:
        words += ["--kafka-backend", backend.name]
    return shlex.join(words)


def _reason(report: pytest.TestReport, raised: str) -> str:
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}" if report.wasxfail else "expected to fail"
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    is_told = report.failed or report.outcome == RERUN
    return raised or report.longreprtext.partition("\n")[0] if is_told else ""


def _counted(words: Sequence[str], order: Sequence[str]) -> dict[str, int]:
    counts = Counter(words)
    return {word: counts[word] for word in dict.fromkeys([*order, *words]) if counts[word]}


def _without(value: Any, directory: str) -> Any:
    """Texts, in lists and mappings too, with paths that begin at the report."""
    if isinstance(value, str):
        return value.replace(directory, "")
    if isinstance(value, Mapping):
        return {key: _without(each, directory) for key, each in value.items()}
    return [_without(each, directory) for each in value] if isinstance(value, list) else value
