"""The files of a pytest suite: suite.json, and what is drawn from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from highwater.harness.errors import RecordError
from highwater.harness.record.files import write_json
from highwater.harness.record.reader import open_run
from highwater.metrics import write_suite_metrics
from highwater.reports.junit import write_suite_junit
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page
from highwater.reports.summary import write_suite_summary


def keep_suite(directory: Path, content: Mapping[str, Any]) -> None:
    """suite.json as far as a pytest session has come: one that is killed has its report, too."""
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / "suite.json", content)


def write_suite(directory: Path, content: Mapping[str, Any]) -> Path:
    """suite.json, and what is drawn from it, of a pytest session; returns the page."""
    keep_suite(directory, content)
    return draw_suite(directory)


def draw_suite(directory: Path) -> Path:
    """Write what is drawn of suite.json: a page, which is returned, and files for machines.

    Raises RecordError where that is no suite.
    """
    stored = directory / "suite.json"
    try:
        suite = read_suite(json.loads(stored.read_text(encoding="utf-8")))
    except (ValueError, OSError) as error:
        raise RecordError(f"{stored} cannot be read: {error!r}") from error
    write_suite_junit(directory, suite)
    write_suite_summary(directory, suite)
    played = [directory / test.run for test in suite.tests if test.run]
    runs = [open_run(path) for path in played if (path / "run.json").exists()]
    write_suite_metrics(directory, suite, runs)
    return write_suite_page(directory, suite, runs)
