"""What is asked of a release: to play a scenario, or a test of pytest, so and so often."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from highwater import console
from highwater.adopting import kafka_named
from highwater.bisection import Tally
from highwater.cells import Cell, Result, not_lined_up
from highwater.fetching import runtime_with_progress
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.model import Ending, Scenario
from highwater.harness.scenario import lines_up_with, plays_on
from highwater.harness.versions.catalogue import Kafka
from highwater.playing import Options, carried_out
from highwater.reports.suite import suite_in
from highwater.scenarios.catalogue import find_scenario, scenarios
from highwater.scheduled import Scheduled, naming

FAILED, HELD = "failed", "passed"  # of the outcomes of tests
OTHERS = ("inconclusive", "error", "skipped")
WHOLE = ("steps", "setting", "claims")  # of a schedule
REFUSED = (2, 4, 5)  # pytest's exit codes where no test was run: interrupted, usage, none found


class Probe(Protocol):
    out: Path

    @property
    def fails_on(self) -> str | None:
        """The Kafka of which that is known; None for none."""

    @property
    def about(self) -> str:
        """What is played, where its name does not say so: of another one plays are no answer."""

    def why_not(self, kafka: Kafka) -> str:
        """Why it cannot be asked of this one; "" if it can."""

    def tally(self, kafka: Kafka) -> Tally:
        """Play, unless that was done before."""


def probe_of(subject: str, options: Options) -> Probe:
    """For a scenario's name, a test such as tests/test_orders.py::test_one, or a schedule's file.

    Raises UsageError for a scenario that our client cannot be lined up with, or for no schedule.
    """
    if "::" in subject or subject.endswith(".py"):
        return PytestProbe(subject, options)
    is_named = subject in {each.name for each in scenarios()}
    if not is_named and (subject.endswith(".json") or Path(subject).exists()):
        return ScheduleProbe(Scheduled.at(Path(subject)), options)
    scenario = find_scenario(subject)
    if not lines_up_with(scenario, OURS):
        raise UsageError(not_lined_up(scenario))
    return ScenarioProbe(scenario, options)


@dataclass(slots=True)
class ScenarioProbe:
    """Trials of a scenario; all releases together make one comparison, with one report."""

    scenario: Scenario
    options: Options
    out: Path = Path()
    fails_on: str | None = None
    about: str = ""
    _cells: list[Cell] = field(default_factory=list)

    def why_not(self, kafka: Kafka) -> str:
        able = plays_on(self.scenario, kafka)
        return "" if able else f"{self.scenario.name} is not for Kafka {kafka.name}"

    def tally(self, kafka: Kafka) -> Tally:
        backend = self.options.backend
        self._cells.append(Cell(scenario=self.scenario, kafka=kafka, control=None, backend=backend))
        return _tally(carried_out(self._cells, self.options, self.out)[-1], self.options)


@dataclass(slots=True)
class ScheduleProbe:
    """The same of a schedule, on whatever release has a cluster for it."""

    scheduled: Scheduled
    options: Options
    out: Path = Path()
    _cells: list[Cell] = field(default_factory=list)

    @property
    def fails_on(self) -> str | None:
        """Where it was found; of a run in which nothing was violated nobody knows.

        Raises UsageError, which names the file, where it cannot be played there.
        """
        if not self.scheduled.scenario.reproduces:
            return None
        with naming(self.scheduled.path):
            kafka = kafka_named(self.scheduled.schedule.kafka, offline=self.options.offline)
        self.scheduled.on(kafka, self.options.backend)
        return kafka.name

    @property
    def about(self) -> str:
        """Its steps, its setting, and what they shall show."""
        told = {each: self.scheduled.schedule.to_json().get(each) for each in WHOLE}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    def why_not(self, kafka: Kafka) -> str:
        return self.scheduled.why_not(kafka, self.options.backend)

    def tally(self, kafka: Kafka) -> Tally:
        self._cells.append(self.scheduled.on(kafka, self.options.backend))
        return _tally(carried_out(self._cells, self.options, self.out)[-1], self.options)


def _tally(result: Result, options: Options) -> Tally:
    return Tally(
        kafka=result.cell.kafka.name,
        asked=options.trials,
        failed=result.count(Ending.REPRODUCED),
        held=result.count(Ending.CLEAN),
        inconclusive=result.count(Ending.INCONCLUSIVE),
        reasons=[trial.played.reason for trial in result.trials if trial.played.reason],
    )


def outcome_of(tests: Sequence[Mapping[str, Any]], not_run: Sequence[str] = ()) -> tuple[str, str]:
    """What a pytest with these tests in its suite.json came to, in a word, and why.

    One that failed is enough, tests that are for other Kafkas count for nothing, and whatever else
    is in the way of a pass makes it inconclusive: tests that were `not_run`, too.
    """
    others = [each for each in tests if each["outcome"] != "skipped"] or tests
    for outcome in (FAILED, *OTHERS):
        for each in others:
            if each["outcome"] == outcome:
                return outcome, each["reason"]
    if not_run or not tests:
        more = f", and {len(not_run) - 1} more" if len(not_run) > 1 else ""
        return OTHERS[0], f"not run: {not_run[0]}{more}" if not_run else "no test was run"
    return HELD, ""


def _is_whole(report: Path) -> bool:
    """Whether a pytest came to its end there, or to a failure.

    Its page is written last, and also by one that is stopped before it has run all of its tests.
    """
    if not (report / "report.html").exists():
        return False
    suite = suite_in(report)
    return not suite.get("not_run") or outcome_of(suite["tests"])[0] == FAILED


@dataclass(slots=True)
class PytestProbe:
    """Plays of a test, each by a pytest of its own, with a report of its own."""

    test: str
    options: Options
    out: Path = Path()
    fails_on: str | None = None
    about: str = ""

    def why_not(self, kafka: Kafka) -> str:  # noqa: ARG002 - the test's own marker says, when played
        return ""

    def tally(self, kafka: Kafka) -> Tally:
        runtime_with_progress(kafka, offline=self.options.offline)
        found: list[tuple[str, str]] = []
        most = self.options.trials + self.options.reruns
        for number in range(1, most + 1):
            outcomes = [outcome for outcome, _ in found]
            enough = FAILED in outcomes or outcomes.count(HELD) >= self.options.trials
            if enough and number > self.options.trials:
                break
            found.append(self._outcome(kafka, number))
        outcomes = [outcome for outcome, _ in found]
        failed, held = outcomes.count(FAILED), outcomes.count(HELD)
        return Tally(
            kafka=kafka.name,
            asked=self.options.trials,
            failed=failed,
            held=held,
            inconclusive=len(outcomes) - failed - held,
            reasons=[reason for outcome, reason in found if outcome != HELD],
        )

    def _outcome(self, kafka: Kafka, number: int) -> tuple[str, str]:
        """Of one pytest, with a reason.

        Raises UsageError where it refuses to begin, RecordError for a report that cannot be read.
        """
        report = self.out / "runs" / kafka.name / str(number)
        if not _is_whole(report):
            console.err.print(f"{kafka.name}: {self.test}, trial {number}", markup=False)
            shutil.rmtree(report, ignore_errors=True)  # of a pytest that was killed
            self._play(kafka, report)
        suite = suite_in(report)
        return outcome_of(suite["tests"], suite.get("not_run", ()))

    def _play(self, kafka: Kafka, report: Path) -> None:
        backend = self.options.backend.name
        words = [sys.executable, "-m", "pytest", self.test, "-q", "--kafka", kafka.name]
        words += ["--kafka-backend", backend, "--highwater-report", str(report)]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ}
        ) as pytest:
            try:
                said, _ = pytest.communicate()
            except BaseException:
                pytest.terminate()  # it ends its clusters
                raise
        if pytest.returncode in REFUSED or not (report / "suite.json").exists():
            raise UsageError(f"pytest does not play {self.test} on {kafka.name}:\n{said.strip()}")
