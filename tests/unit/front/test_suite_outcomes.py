"""What becomes of chaos tests in a real pytest session, as far as no cluster is needed for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.pytest_runs import run_pytest

SUITE = """
import pytest
from highwater.harness.errors import DeadlineError, UsageError

pytestmark = pytest.mark.highwater


@pytest.fixture
def untidy():
    yield
    raise OSError("the disk is full")


def test_passes():
    pass


def test_fails():
    assert [1] == [2]


def test_waits_in_vain():
    raise DeadlineError("a leader: waited 40.0 s")


def test_asks_for_nonsense():
    raise UsageError("there is no broker 7")


def test_is_left_untidy(untidy):
    pass


def test_fails_and_is_left_untidy(untidy):
    assert False


@pytest.mark.xfail(reason="KAFKA-1211", strict=True)
def test_fails_as_is_known():
    assert False


@pytest.mark.xfail(strict=True)
def test_passes_though_it_should_fail():
    pass


def test_leaves_off():
    pytest.skip("no second rack")


@pytest.mark.parametrize("name", ["a b", "it's"])
def test_with_a_strange_name(name):
    pass


class TestInside:
    def test_a_class(self):
        pass
"""
NOT_OURS = "def test_of_something_else():\n    pass\n"
EXPECTED = {
    "test_passes": ("passed", ["passed"]),
    "test_fails": ("failed", ["failed"]),
    "test_waits_in_vain": ("inconclusive", ["failed"]),
    "test_asks_for_nonsense": ("failed", ["failed"]),
    "test_is_left_untidy": ("error", ["passed", "error"]),
    "test_fails_and_is_left_untidy": ("failed", ["failed", "error"]),
    "test_fails_as_is_known": ("skipped", ["xfailed"]),
    "test_passes_though_it_should_fail": ("failed", ["failed"]),
    "test_leaves_off": ("skipped", ["skipped"]),
    "test_with_a_strange_name[a b]": ("passed", ["passed"]),
    "test_with_a_strange_name[it's]": ("passed", ["passed"]),
    "TestInside::test_a_class": ("passed", ["passed"]),
}
Tests = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite that has been run, its output in `said.txt`."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "inner").mkdir()
    (folder / "inner" / "test_twelve.py").write_text(SUITE, encoding="utf-8")
    (folder / "test_other.py").write_text(NOT_OURS, encoding="utf-8")
    done = run_pytest(folder, "--highwater-report", "report", "-rA")
    (folder / "said.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return folder


def content(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report" / "suite.json").read_text())
    return found


@pytest.fixture
def tests(folder: Path) -> Tests:
    return {
        each["test"].removeprefix("inner/test_twelve.py::"): each
        for each in content(folder)["tests"]
    }


def test_each_test_has_pytests_outcome_and_inconclusive_ones_are_told_apart(tests: Tests) -> None:
    assert {name: (each["outcome"], each["pytest"]) for name, each in tests.items()} == EXPECTED


def test_counts_are_those_that_pytest_prints(folder: Path) -> None:
    said = (folder / "said.txt").read_text()

    counted = dict(content(folder)["pytest"])

    assert counted == {"passed": 5, "failed": 5, "error": 2, "skipped": 1, "xfailed": 1}
    counted["passed"] += 1  # the one that is no chaos test
    assert ("5 failed, 6 passed, 1 skipped, 1 xfailed, 2 errors in") in said
    assert sum(counted.values()) == 15


def test_junit_agrees_with_pytest_on_what_is_a_failure_and_has_our_word(
    folder: Path, tests: Tests
) -> None:
    suite = ET.parse(folder / "report" / "junit.xml").getroot()[0]

    counted = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    words = [each.get("value") for each in suite.iter("property")]
    assert counted == ["12", "5", "1", "2"]
    assert words == [each["outcome"] for each in tests.values()]
    assert suite[-1].get("classname") == "inner.test_twelve.TestInside"


def test_the_reason_is_what_was_raised_or_said(tests: Tests) -> None:
    reasons = {name: each["reason"] for name, each in tests.items() if each["reason"]}

    assert reasons == {
        "test_fails": "AssertionError: assert [1] == [2]",
        "test_waits_in_vain": "a leader: waited 40.0 s",
        "test_asks_for_nonsense": "UsageError: there is no broker 7",
        "test_is_left_untidy": "OSError: the disk is full",
        "test_fails_and_is_left_untidy": "AssertionError: assert False",
        "test_fails_as_is_known": "expected to fail: KAFKA-1211",
        "test_passes_though_it_should_fail": "[XPASS(strict)]",
        "test_leaves_off": "no second rack",
    }


def test_a_mistake_or_a_state_that_did_not_come_is_told_with_its_line_and_no_traceback(
    tests: Tests,
) -> None:
    waited, mistaken = tests["test_waits_in_vain"]["text"], tests["test_asks_for_nonsense"]["text"]

    assert waited.splitlines()[0] == "inconclusive: a leader: waited 40.0 s"
    assert "at test_twelve.py:23: raise DeadlineError(" in waited
    assert mistaken.splitlines()[0] == "there is no broker 7"
    assert "Traceback" not in waited + mistaken


def test_what_broke_after_a_failed_test_is_told_as_well(tests: Tests) -> None:
    text = tests["test_fails_and_is_left_untidy"]["text"]

    assert "assert False" in text
    assert "the disk is full" in text


@pytest.mark.parametrize("name", ["test_with_a_strange_name[it's]", "TestInside::test_a_class"])
def test_the_command_repeats_one_test(folder: Path, tests: Tests, name: str) -> None:
    command = tests[name]["command"].replace("pytest", f"{sys.executable} -m pytest", 1)

    again = subprocess.run(
        f"{command} -v -p no:cacheprovider",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )

    assert f"inner/test_twelve.py::{name} PASSED" in again.stdout
    assert "1 passed" in again.stdout


def test_a_used_directory_is_refused_before_anything_runs(folder: Path) -> None:
    done = run_pytest(folder, "--highwater-report", "report")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "report already holds results (suite.json)" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_page_can_be_drawn_again(folder: Path) -> None:
    page = folder / "report" / "report.html"
    before = page.read_text()
    page.unlink()

    done = subprocess.run(
        [sys.executable, "-m", "highwater.cli", "report", str(folder / "report")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert page.read_text() == before


def test_a_file_that_cannot_be_read_is_an_error_and_what_did_not_run_is_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    (tmp_path / "test_sound.py").write_text(
        "import pytest\npytestmark = pytest.mark.highwater\n"
        "def test_first():\n    assert False\ndef test_second():\n    pass\n"
    )

    run_pytest(
        tmp_path, "--highwater-report", "report", "--continue-on-collection-errors", "--maxfail=2"
    )

    suite = content(tmp_path)
    said = [(each["test"], each["outcome"]) for each in suite["tests"]]
    assert said == [("test_broken.py", "error"), ("test_sound.py::test_first", "failed")]
    assert "No module named 'no_such_module'" in suite["tests"][0]["reason"]
    assert suite["not_run"] == ["test_sound.py::test_second"]
    assert "test_sound.py::test_second" in (tmp_path / "report" / "report.html").read_text()


def test_without_chaos_tests_there_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(NOT_OURS, encoding="utf-8")

    done = run_pytest(tmp_path, "--highwater-report", "report")

    assert done.returncode == 0
    assert not (tmp_path / "report").exists()


def test_a_session_that_is_killed_has_its_outcomes_so_far(tmp_path: Path) -> None:
    (tmp_path / "test_killed.py").write_text(
        "import os, pytest\npytestmark = pytest.mark.highwater\n"
        "def test_first():\n    pass\ndef test_second():\n    os.kill(os.getpid(), 9)\n"
    )

    run_pytest(tmp_path, "--highwater-report", "report")

    suite = content(tmp_path)
    said = [(each["test"], each["outcome"]) for each in suite["tests"]]
    assert said == [("test_killed.py::test_first", "passed")]
    assert suite["not_run"] == ["test_killed.py::test_second"]
