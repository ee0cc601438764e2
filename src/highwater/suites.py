"""The files of a pytest suite: suite.json, and what is drawn from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from highwater.circumstances import circumstances
from highwater.harness.record.files import write_json
from highwater.harness.record.reader import StoredRun, open_run
from highwater.measured import measured_to_its_end
from highwater.metrics import write_suite_metrics
from highwater.reports.junit import write_suite_junit
from highwater.reports.suite import read_suite, suite_in
from highwater.reports.suite_page import write_suite_page
from highwater.reports.summary import write_suite_summary


def keep_suite(directory: Path, content: Mapping[str, Any]) -> None:
    """suite.json as far as a pytest session has come: one that is killed has its report, too."""
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / "suite.json", content)


def write_suite(directory: Path, content: Mapping[str, Any]) -> Path:
    """suite.json with what was measured, and what is drawn from it; returns the page."""
    runs = {
        test.get("run"): run
        for test in content["tests"]
        for run in _opened(directory, test.get("run"))
    }
    tests = [
        {**test, **_of_record(runs[test["run"]])} if test.get("run") in runs else test
        for test in content["tests"]
    ]
    keep_suite(directory, {**circumstances(runs.values()), **content, "tests": tests})
    return draw_suite(directory)


def _of_record(run: StoredRun) -> dict[str, Any]:
    rewritten = run.identity.get("rewritten")
    measures = measured_to_its_end(run)
    return {"measures": measures, **({"rewritten": rewritten} if rewritten else {})}


def draw_suite(directory: Path) -> Path:
    """Write what is drawn of suite.json: a page, which is returned, and files for machines.

    Raises RecordError where that is no suite.
    """
    suite = read_suite(suite_in(directory))
    write_suite_junit(directory, suite)
    write_suite_summary(directory, suite)
    runs = [run for test in suite.tests for run in _opened(directory, test.run)]
    write_suite_metrics(directory, suite, runs)
    return write_suite_page(directory, suite, runs)


def _opened(directory: Path, run: str | None) -> Iterator[StoredRun]:
    """The record of a test, if it has one that is still there."""
    if run and (directory / run / "run.json").exists():
        yield open_run(directory / run)
