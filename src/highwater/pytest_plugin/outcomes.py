"""What became of each chaos test of a pytest session: pytest's own words, and the judge's.

The plugin always loads this; nothing heavy is imported before there is a report to write.
"""

from __future__ import annotations

import os
import shlex
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from highwater.account import Account, inconclusive
from highwater.backends import ATTACHED, PROCESS, Backend
from highwater.harness.errors import HighwaterError, UsageError

SUITE_SCHEMA = 1
WORDS = ("failed", "inconclusive", "error", "passed", "skipped")
SUMMARY = ("failed", "passed", "skipped", "xfailed", "xpassed", "error")  # in pytest's own order
PARAMETER = "_kafka_and_trial"  # of a test that is played once per Kafka and trial


ACCOUNT: pytest.StashKey[Account] = pytest.StashKey()
RUN: pytest.StashKey[str] = pytest.StashKey()


@dataclass(slots=True, kw_only=True)
class Case:
    """One test, and what pytest has reported of it so far."""

    test: str  # pytest's node id
    command: str  # that repeats it
    backend: str
    kafka: str | None = None
    trial: int | None = None
    words: list[str] = field(default_factory=list)  # of pytest's summary: what it counts it as
    reasons: list[str] = field(default_factory=list)  # a line each
    texts: list[str] = field(default_factory=list)
    seconds: float = 0.0
    account: Account | None = None
    run: str | None = None  # the run directory, relative to the report

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
            "backend": self.backend,
            "seconds": round(self.seconds, 1),
            "command": self.command,
            "run": self.run,
        }


class Outcomes:
    """Every chaos test of a session, in the order in which they ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cases: dict[str, Case] = {}
        self.expected: Sequence[str] = ()  # node ids of what was to run

    def heard(self, item: pytest.Item, report: pytest.TestReport, raised: str) -> None:
        """Take in what pytest reports of a phase of a test; `raised` is the exception in a line."""
        if report.when == "setup":  # also when a plugin runs it once more: the last time counts
            self._cases[item.nodeid] = self._case(item)
        case = self._cases[item.nodeid]
        case.seconds += report.duration
        case.account, case.run = item.stash.get(ACCOUNT, None), item.stash.get(RUN, None)
        # What pytest counts in its summary; "" for a phase that it does not count.
        word = self._config.hook.pytest_report_teststatus(report=report, config=self._config)[0]
        if word:
            case.words.append(word)
            case.reasons += [reason] if (reason := _reason(report, raised)) else []
        if report.failed:
            case.texts.append(report.longreprtext)

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
        cases = list(self._cases.values())
        ran = {case.test for case in cases}
        return {
            "schema": SUITE_SCHEMA,
            "tool": f"highwater {metadata.version('highwater')}",
            "outcomes": _counted([case.outcome for case in cases], WORDS),
            "pytest": _counted([word for case in cases for word in case.words], SUMMARY),
            "not_run": [test for test in self.expected if test not in ran],
            "tests": [_without(case.described(), f"{directory.resolve()}/") for case in cases],
        }

    def __bool__(self) -> bool:
        return bool(self._cases)

    @property
    def _backend(self) -> str:
        return chosen_backend(self._config).name

    def _case(self, item: pytest.Item) -> Case:
        kafka, trial = _parameter(item)
        return Case(
            test=item.nodeid,
            command=command_of(item),
            backend=self._backend,
            kafka=kafka,
            trial=trial,
        )


def is_chaos_test(item: pytest.Item) -> bool:
    """Whether a test is ours: it has one of the fixtures, or the marker."""
    asked = getattr(item, "fixturenames", ())
    return "_suite" in asked or item.get_closest_marker("highwater") is not None


def chosen_backend(config: pytest.Config) -> Backend:
    """Where the options have tests played."""
    bootstrap = config.getoption("--kafka-attach")
    if bootstrap is not None:
        return Backend(ATTACHED, bootstrap=bootstrap)
    return Backend(config.getoption("--kafka-backend"))


def command_of(item: pytest.Item) -> str:
    """The command line that repeats this very test, from where pytest was called."""
    path = os.path.relpath(item.path, item.config.invocation_params.dir)
    words = ["pytest", "::".join([path, *item.nodeid.split("::")[1:]])]
    kafka, _ = _parameter(item)
    backend = chosen_backend(item.config)
    words += ["--kafka", kafka] if kafka else []
    if backend.is_attached:
        words += ["--kafka-attach", backend.bootstrap]
    elif backend.name != PROCESS:
        words += ["--kafka-backend", backend.name]
    return shlex.join(words)


def account_of(error: BaseException, judged: Account | None, item: pytest.Item) -> Account:
    """What to say of a test that raised `error`, when its play, if it had one, is judged.

    Where there is a text, it says all; without one the error has to be shown as pytest does.
    """
    line = f"{type(error).__name__}: {error}".partition("\n")[0]
    if isinstance(error, UsageError):  # a mistake in the test, which is told without a traceback
        text = f"{error}\n{_place_in(item, error)}"
        return Account(outcome="failed", reason=line, text=text)
    if not isinstance(error, HighwaterError):
        if judged is None or judged.outcome != "failed":
            return Account(outcome="failed", reason=line)
        error.add_note(judged.text)
        return replace(judged, reason=f"{judged.reason}; {line}", text="")
    stopped = f"the test stopped {_place_in(item, error)}"
    if judged is None:
        return inconclusive(str(error), stopped)
    said = f" by {line}" if judged.outcome == "failed" else ""
    return replace(judged, text=f"{judged.text}\n{stopped}{said}")


def _place_in(item: pytest.Item, error: BaseException) -> str:
    """The last line of the test's own file that led to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == str(item.path)]
    return f"at {item.path.name}:{own[-1].lineno}: {own[-1].line}" if own else f"in {item.nodeid}"


def _parameter(item: pytest.Item) -> tuple[str | None, int | None]:
    """Which Kafka and trial a test is for; None where it is for none."""
    called = getattr(item, "callspec", None)
    named: tuple[str | None, int | None] = (None, None)
    return called.params.get(PARAMETER, named) if called else named


def _reason(report: pytest.TestReport, raised: str) -> str:
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}" if report.wasxfail else "expected to fail"
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return raised or report.longreprtext.partition("\n")[0] if report.failed else ""


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
