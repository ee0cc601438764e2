"""The page and the JUnit file of a suite, from a suite.json and a record."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from highwater.harness.errors import RecordError
from highwater.harness.record.reader import open_run
from highwater.reports.junit import write_suite_junit
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page


def drawn(directory: Path, content: dict[str, Any], *runs: Path) -> str:
    page = write_suite_page(directory, read_suite(content), [open_run(run) for run in runs])
    return page.read_text(encoding="utf-8")


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.partition("</style>")[2]))


def test_the_page_counts_outcomes_and_what_pytest_made_of_them(
    suites: ModuleType, tmp_path: Path
) -> None:
    shown = words(drawn(tmp_path, suites.content()))

    assert (
        "6 tests on Kafka 0.10.2.2: 2 failed, 1 inconclusive, 1 error, 1 passed, 1 skipped."
    ) in shown
    assert (
        "pytest counted: 3 failed, 1 passed, 1 skipped, 1 error. "
        "Inconclusive tests are among those that failed."
    ) in shown


def test_each_test_has_its_outcome_reason_and_command_and_no_scenarios_words(
    suites: ModuleType, kip101: ModuleType, tmp_path: Path
) -> None:
    run = kip101.Trial()
    path = kip101.write(tmp_path, run)

    html = drawn(tmp_path, suites.content(run.path), path)

    shown = words(html)
    assert "✕ failed folder/test_eight.py::test_fails_by_a_claim" in shown
    assert "no evidence for &lt;t&gt;" in html
    assert "first witness value 2, acknowledged to main with acks=all at offset 1" in shown
    assert "likely reason unclean.leader.election.enable=true" in shown
    assert "test_is_skipped[0.10.2.2]&#39; --kafka 0.10.2.2</code>" in html
    assert "Truncating log t-0 to offset 1." in html  # the record is there
    assert "No run directory runs/not-there was found." in shown
    for word in ("pill reproduced", "pill clean", "as expected", "highwater run"):
        assert word not in html


def test_tests_that_never_ran_are_named(suites: ModuleType, tmp_path: Path) -> None:
    html = drawn(tmp_path, suites.content(not_run=["test_eight.py::test_late"]))

    assert "Stopped early." in html
    assert "1 not run: test_eight.py::test_late" in html


@pytest.mark.parametrize(
    ("outcomes", "mood"),
    [(["passed"], "good"), (["passed", "error"], "bad"), (["skipped"], "none")],
)
def test_only_a_suite_in_which_something_passed_and_nothing_else_happened_is_good(
    suites: ModuleType, tmp_path: Path, outcomes: list[str], mood: str
) -> None:
    tests = [suites.row(f"test_{each}", each, [each]) for each in outcomes]

    html = drawn(tmp_path, suites.content(tests=tests))

    assert f'<p class="verdict {mood}">' in html


def test_junit_has_pytests_kind_and_our_word_of_each_test(
    suites: ModuleType, tmp_path: Path
) -> None:
    path = write_suite_junit(tmp_path, read_suite(suites.content("runs/2")))

    suite = ET.parse(path).getroot()[0]
    counted = [suite.get(each) for each in ("tests", "failures", "errors", "skipped", "time")]
    assert counted == ["6", "3", "1", "1", "9.000"]
    assert [
        [child.tag for child in case if child.tag not in {"properties", "system-out"}]
        for case in suite
    ] == [[], ["failure"], ["failure"], ["failure"], ["error"], ["skipped"]]
    assert [each.get("value") for each in suite.iter("property")] == [
        "passed", "failed", "failed", "inconclusive", "error", "skipped",
    ]  # fmt: skip
    lost, own, unclear = (suite[number].find("failure") for number in (1, 2, 3))
    assert lost is not None
    assert own is not None
    assert unclear is not None
    assert (lost.get("type"), lost.text) == ("lost-write", "lost-write: 10 of 11")
    assert (own.get("type"), own.get("message")) == ("failed", "assert 3 == 4")
    assert unclear.get("type") == "inconclusive"
    assert "the record: runs/2" in (suite[1].findtext("system-out") or "")


@pytest.mark.parametrize(
    "content",
    [{}, {"tests": [{"test": "a"}]}, {"tests": ["a"]}, {"tests": [{"test": "a", "outcome": "x"}]}],
    ids=str,
)
def test_what_is_no_suite_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="suite"):
        read_suite(content)
