"""pytest-xdist: one report of all workers, as far as no cluster is needed for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.pytest_runs import run_pytest

SUITE = """
import os
import pytest
from highwater.harness.errors import DeadlineError

pytestmark = pytest.mark.highwater


@pytest.fixture
def untidy():
    yield
    raise OSError("the disk is full")


@pytest.mark.parametrize("number", range(4))
def test_passes(number):
    pass


def test_fails():
    assert [1] == [2]


def test_waits_in_vain():
    raise DeadlineError("a leader: waited 40.0 s")


def test_is_left_untidy(untidy):
    pass


@pytest.mark.xfail(reason="KAFKA-1211", strict=True)
def test_fails_as_is_known():
    assert False


@pytest.mark.skip(reason="not today")
def test_is_skipped():
    pass
"""
CRASHES = """
import os


def test_takes_its_worker_with_it():
    os._exit(3)
"""
WRONG = """
import pytest


@pytest.mark.highwater(trails=3)
def test_is_marked_wrongly(play):
    pass
"""


def content(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report" / "suite.json").read_text())
    return found


def outcomes(folder: Path) -> dict[str, tuple[str, list[str], str]]:
    tests = content(folder)["tests"]
    return {each["test"]: (each["outcome"], each["pytest"], each["reason"]) for each in tests}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_nine.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


@pytest.mark.on_demand
def test_two_workers_come_to_the_same_report_as_one_process(project: Path, tmp_path: Path) -> None:
    alone = run_pytest(project, "--highwater-report", "report")
    told = outcomes(project), content(project)["outcomes"], content(project)["pytest"]
    (project / "report").rename(tmp_path / "alone")

    both = run_pytest(project, "--highwater-report", "report", "-n", "2")

    assert alone.returncode == both.returncode == pytest.ExitCode.TESTS_FAILED
    again = content(project)
    assert (outcomes(project), again["outcomes"], again["pytest"]) == told
    assert {each["worker"] for each in again["tests"]} == {"gw0", "gw1"}
    assert again["not_run"] == []
    assert "highwater: the report is report/report.html" in both.stdout
    assert both.stdout.count("the report is") == 1
    assert {path.name for path in (project / "report").iterdir()} == {
        "report.html", "suite.json", "junit.xml", "summary.md", "metrics.txt",
    }  # fmt: skip


def test_a_test_that_took_its_worker_with_it_is_inconclusive_and_the_others_are_told(
    project: Path,
) -> None:
    (project / "test_nine.py").write_text(SUITE + CRASHES, encoding="utf-8")

    done = run_pytest(project, "--highwater-report", "report", "-n", "2")

    told = outcomes(project)
    assert len(told) == 10
    outcome, words, reason = told["test_nine.py::test_takes_its_worker_with_it"]
    assert (outcome, words) == ("inconclusive", ["failed"])
    assert reason == "the process that played it ended, so nothing was judged"
    assert "crashed" in done.stdout


def test_mistakes_are_told_once_in_words_before_anything_runs(project: Path) -> None:
    (project / "test_wrong.py").write_text(WRONG, encoding="utf-8")

    done = run_pytest(project, "--highwater-report", "report", "-n", "2")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stdout.count("did you mean 'trials'?") == 1
    assert "INTERNALERROR" not in done.stdout
    assert "passed" not in done.stdout
    assert not (project / "report").exists()


def test_a_used_directory_is_refused_before_workers_start(project: Path) -> None:
    (project / "report" / "runs").mkdir(parents=True)

    done = run_pytest(project, "--highwater-report", "report", "-n", "2")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "report already holds results (runs)" in done.stderr
    assert "gw0" not in done.stdout


def test_where_clusters_are_few_the_session_says_who_waits(project: Path) -> None:
    done = run_pytest(project, "-n", "2", "--highwater-clusters", "1")

    assert "highwater: 2 workers, and 1 at once may have a cluster" in done.stdout
    assert "--highwater-clusters N" in done.stdout


def test_a_file_that_cannot_be_read_is_in_the_report_once(project: Path) -> None:
    (project / "test_broken.py").write_text("import no_such_module\n", encoding="utf-8")

    run_pytest(project, "--highwater-report", "report", "-n", "2")

    errors = [name for name, (outcome, *_) in outcomes(project).items() if outcome == "error"]
    assert "test_broken.py" in errors


IN_PARTS = """subtests):
    for number in range(2):
        with subtests.test(number=number):
            assert number < 2
"""
HAS_SUBTESTS = pytest.mark.skipif(pytest.version_tuple < (9,), reason="pytest 9 brought subtests")

INTERRUPTED = """
import pytest

pytestmark = pytest.mark.highwater


def test_passes(PASSING


def test_is_interrupted():
    raise KeyboardInterrupt


def test_comes_later():
    pass
"""


@pytest.mark.parametrize(
    "passing",
    [
        pytest.param("):\n    pass\n", id="whole"),
        pytest.param(IN_PARTS, id="in parts", marks=HAS_SUBTESTS),
    ],
)
def test_what_was_interrupted_is_no_pass_and_what_came_later_was_not_run(
    passing: str, tmp_path: Path
) -> None:
    test = INTERRUPTED.replace("PASSING", passing)
    (tmp_path / "test_three.py").write_text(test, encoding="utf-8")

    run_pytest(tmp_path, "--highwater-report", "report")

    told = content(tmp_path)
    assert [(each["test"], each["outcome"]) for each in told["tests"]] == [
        ("test_three.py::test_passes", "passed")
    ]
    assert told["not_run"] == [
        "test_three.py::test_is_interrupted", "test_three.py::test_comes_later",
    ]  # fmt: skip
