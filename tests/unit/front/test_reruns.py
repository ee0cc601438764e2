"""Chaos tests are played again where the environment failed, and for no other reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.pytest_runs import run_pytest

from highwater.harness.record.files import write_json
from highwater.suites import draw_suite

SUITE = """
import itertools

import pytest
from highwater.harness.errors import DeadlineError, InfrastructureError, PreconditionError

pytestmark = pytest.mark.highwater
PLAYS = {}


def play_number(request):
    return next(PLAYS.setdefault(request.node.name, itertools.count(1)))


def test_comes_up_at_the_third_time(request):
    if play_number(request) < 3:
        raise InfrastructureError("broker 2 does not come up")


def test_never_comes_up():
    raise DeadlineError("a leader: waited 40.0 s")


def test_fails_by_itself_once(request):
    assert play_number(request) > 1


def test_a_precondition_is_not_met_once(request):
    if play_number(request) == 1:
        raise PreconditionError("the moon is full: not so")


@pytest.mark.xfail(strict=True)
def test_is_known_to_fail():
    raise InfrastructureError("no network")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_five.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


def told(project: Path) -> dict[str, dict[str, Any]]:
    tests = json.loads((project / "report" / "suite.json").read_text())["tests"]
    return {each["test"].partition("::")[2]: each for each in tests}


def test_only_what_the_environment_failed_is_played_again_and_the_report_says_so(
    project: Path,
) -> None:
    done = run_pytest(project, "--highwater-report", "report", "--highwater-reruns", "2")

    tests = told(project)
    assert {name: (each["outcome"], each["pytest"]) for name, each in tests.items()} == {
        "test_comes_up_at_the_third_time": ("passed", ["rerun", "rerun", "passed"]),
        "test_never_comes_up": ("inconclusive", ["rerun", "rerun", "failed"]),
        "test_fails_by_itself_once": ("failed", ["failed"]),
        "test_a_precondition_is_not_met_once": ("inconclusive", ["failed"]),
        "test_is_known_to_fail": ("skipped", ["xfailed"]),
    }
    reruns = tests["test_comes_up_at_the_third_time"]["reruns"]
    assert reruns == ["broker 2 does not come up"] * 2
    assert "3 failed, 1 passed, 1 xfailed, 4 rerun" in done.stdout
    assert "test_comes_up_at_the_third_time was played again: broker 2 does" in done.stdout
    page = (project / "report" / "report.html").read_text()
    assert "Played again" in page
    assert "broker 2 does not come up" in page


def test_nothing_is_played_again_unless_asked_for(project: Path) -> None:
    run_pytest(project, "--highwater-report", "report")

    assert {each["pytest"][0] for each in told(project).values()} == {"failed", "xfailed"}
    assert not any(each["reruns"] for each in told(project).values())


def test_workers_play_again_as_well(project: Path) -> None:
    run_pytest(project, "--highwater-report", "report", "--highwater-reruns", "2", "-n", "2")

    assert told(project)["test_comes_up_at_the_third_time"]["outcome"] == "passed"
    assert len(told(project)["test_never_comes_up"]["reruns"]) == 2


def test_a_number_that_is_none_is_refused(project: Path) -> None:
    done = run_pytest(project, "--highwater-reruns", "-1")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--highwater-reruns" in done.stderr


def test_a_suite_from_before_there_were_reruns_is_drawn(project: Path) -> None:
    run_pytest(project, "--highwater-report", "report")
    stored = project / "report" / "suite.json"
    content = json.loads(stored.read_text())
    for each in content["tests"]:
        del each["reruns"], each["worker"]
    write_json(stored, content)

    assert "Played again" not in draw_suite(project / "report").read_text()
