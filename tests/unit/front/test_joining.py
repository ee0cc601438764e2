"""Several suites, or comparisons, as one report: what is added, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.pytest_runs import run_pytest
from tests.unit.reports import kip101, suites

from highwater.drawing import report
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.record.files import write_json
from highwater.reports.cells import COMPARE_SCHEMA

OLD, NEW = kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)
AGAIN = kip101.Trial(number=2)
SUITE = """
import pytest

pytestmark = pytest.mark.highwater


def test_passes():
    pass


def test_fails():
    assert [1] == [2]
"""


def shard(directory: Path, *trials: kip101.Trial, **more: Any) -> Path:
    """A comparison with a cell for each trial."""
    directory.mkdir()
    for trial in trials:
        kip101.write(directory, trial)
    cells = [{**kip101.cell(trial), **more} for trial in trials]
    write_json(directory / "compare.json", {"schema": COMPARE_SCHEMA, "cells": cells})
    return directory


def joined(tmp_path: Path, *directories: Path) -> dict[str, Any]:
    report(directories, tmp_path / "all", as_json=True)
    name = "suite.json" if (tmp_path / "all" / "suite.json").exists() else "compare.json"
    content: dict[str, Any] = json.loads((tmp_path / "all" / name).read_text())
    return content


def test_two_sessions_of_pytest_are_one_suite(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(SUITE, encoding="utf-8")
    for name in ("passes", "fails"):
        run_pytest(tmp_path, "--highwater-report", name, f"test_two.py::test_{name}")

    content = joined(tmp_path, tmp_path / "passes", tmp_path / "fails")

    assert content["pytest"] == content["outcomes"] == {"passed": 1, "failed": 1}
    assert "2 tests: 1 failed, 1 passed." in (tmp_path / "all" / "report.html").read_text()
    suite = ET.parse(tmp_path / "all" / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "test\\_fails" in (tmp_path / "all" / "summary.md").read_text()
    again = (tmp_path / "all" / "report.html").read_bytes()
    report([tmp_path / "all"], None, as_json=True)
    assert (tmp_path / "all" / "report.html").read_bytes() == again


def test_records_of_suites_are_found_where_they_lie(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    run = kip101.write(ours, OLD)
    write_json(ours / "suite.json", suites.content(str(run.relative_to(ours)), not_run=["t", "u"]))
    u = {**suites.row("x", "passed", ["passed"]), "test": "u"}
    theirs = {"schema": 1, "tests": [suites.row("test_other", "passed", ["passed"]), u]}
    (tmp_path / "theirs").mkdir()
    write_json(tmp_path / "theirs" / "suite.json", theirs)

    content = joined(tmp_path, ours, tmp_path / "theirs")

    assert len(content["tests"]) == 8
    assert content["not_run"] == ["t"]
    (played,) = {each["run"] for each in content["tests"]} - {None, "../ours/runs/not-there"}
    assert (tmp_path / "all" / played / "run.json").exists()
    assert "Record of the play" in (tmp_path / "all" / "report.html").read_text()


def test_cells_of_two_comparisons_stand_side_by_side(tmp_path: Path) -> None:
    first, second = shard(tmp_path / "1", OLD), shard(tmp_path / "2", NEW)

    content = joined(tmp_path, first, second)

    assert [cell["kafka"] for cell in content["cells"]] == ["0.10.2.2", "0.11.0.3"]
    page = (tmp_path / "all" / "report.html").read_text()
    assert "What each replica holds at the end" in page
    report([tmp_path / "all"], None, as_json=True)
    assert (tmp_path / "all" / "report.html").read_text() == page


def test_trials_of_one_cell_are_added(tmp_path: Path) -> None:
    first, second = shard(tmp_path / "1", OLD, NEW), shard(tmp_path / "2", AGAIN)

    (both, other) = joined(tmp_path, first, second)["cells"]

    assert (both["trials"], both["reproduced"], len(both["runs"])) == (2, 2, 2)
    alone = kip101.cell(OLD)
    assert both["anomalies"] == {name: 2 * each for name, each in alone["anomalies"].items()}
    assert both["acked"] == 2 * alone["acked"]
    assert len(both["seconds"]) == 2
    assert other["trials"] == 1
    suite = ET.parse(tmp_path / "all" / "junit.xml").getroot()[0]
    assert suite.get("tests") == "2"


def test_what_explains_a_failure_of_any_shard_explains_that_of_all(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", OLD, explained="", not_promised={"reordered": "a"})
    second = shard(tmp_path / "2", AGAIN, explained="KAFKA-1", not_promised={"duplicate": "b"})

    (cell,) = joined(tmp_path, first, second)["cells"]

    assert cell["explained"] == "KAFKA-1"
    assert cell["not_promised"] == {"reordered": "a", "duplicate": "b"}


def test_one_shard_that_is_not_as_expected_is_enough(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", OLD, expected="reproduced", as_expected=True)
    told = {"expected": "reproduced", "as_expected": False, "reproduced": 0, "clean": 1}
    second = shard(tmp_path / "2", AGAIN, **told)

    (cell,) = joined(tmp_path, first, second)["cells"]

    assert not cell["as_expected"]


def test_what_cannot_be_one_report_is_refused_in_words(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", OLD, expected="reproduced", as_expected=True)
    second = shard(tmp_path / "2", AGAIN, expected="clean", as_expected=False)
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "s" / "suite.json", suites.content())
    out = tmp_path / "all"

    with pytest.raises(UsageError, match="2 directories are joined into a new one: say which by"):
        report([first, second], None, as_json=True)
    with pytest.raises(UsageError, match=r"suite.json in .*/s and none in .*/1"):
        report([first, tmp_path / "s"], out, as_json=True)
    with pytest.raises(UsageError, match=r"expected each test in one of the suites, saw folder"):
        report([tmp_path / "s", tmp_path / "s"], out, as_json=True)
    with pytest.raises(UsageError, match=r"expected a new directory, saw .* already holds results"):
        report([first, second], first, as_json=True)
    with pytest.raises(RecordError, match="the same trial stands in two of the directories"):
        report([first, first], out, as_json=True)
    with pytest.raises(RecordError, match=r"expected to be (clean|reproduced) and"):
        report([first, second], out, as_json=True)
    assert not out.exists()


@pytest.mark.parametrize("place", ["/dev/null/x", "a" * 300, "loop", "loop/x"])
def test_where_no_report_can_be_written_is_said_in_words(tmp_path: Path, place: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    one = shard(tmp_path / "one", OLD)

    with pytest.raises(UsageError, match=r"expected .* directory|expected to write a report into"):
        report([one], tmp_path / place, as_json=True)
