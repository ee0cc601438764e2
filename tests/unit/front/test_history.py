"""`report --history`: what tests came to from session to session, and what is flaky."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.unit.reports import kip101, suites

from highwater.drawing import report
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.record.files import write_json
from highwater.past import report_history, sessions_below
from highwater.reports.history import history


def suite(folder: Path, day: int, *outcomes: str, **more: Any) -> Path:
    """A session of one test, with a trial for each of the outcomes."""
    told = [
        {
            **suites.row("test_it", outcome, [outcome], trial=trial, seconds=10.0 * trial),
            "test": f"test_it.py::test_it[0.10.2.2-trial{trial}]",
            "reason": "violated: lost-write" if outcome == "failed" else "",
        }
        for trial, outcome in enumerate(outcomes, start=1)
    ]
    began = f"2026-10-{day:02}T08:00:00.000+00:00"
    directory = folder / f"day-{day}"
    directory.mkdir(parents=True)
    content = {"schema": 1, "tool": "highwater 0.1.0", "started_at": began, "tests": told, **more}
    write_json(directory / "suite.json", content)
    return directory


def words(page: Path) -> str:
    shown = page.read_text(encoding="utf-8").partition("</style>")[2].partition("<script>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", shown)))


def drawn(folder: Path) -> str:
    report_history(folder, as_json=True)
    return words(folder / "history.html")


def flaky(folder: Path) -> list[str]:
    """Of the one test, by session."""
    (row,) = history(list(sessions_below(folder, []))).rows
    return [cell.flaky for cell in row.played]


def test_trials_of_a_test_are_one_result_and_sessions_stand_in_their_order(tmp_path: Path) -> None:
    suite(tmp_path, 3, "passed", "failed", "failed")
    suite(tmp_path, 2, "passed", "passed", "passed")

    shown = drawn(tmp_path)

    assert "1 test in 2 sessions from 2026-10-02 to 2026-10-03: 1 did not end well" in shown
    assert "failed since 2026-10-03 08:00, 1 session" in shown
    assert shown.index("2/3 failed") < shown.index("3/3 passed")  # the newest stands left
    assert "20.0 s; 20.0 s to 20.0 s in 2 sessions" in shown


def test_two_outcomes_in_one_session_are_flaky(tmp_path: Path) -> None:
    suite(tmp_path, 1, "passed", "failed")
    suite(tmp_path, 2, "failed", "failed")

    assert flaky(tmp_path) == ["failed and passed in one session", ""]


@pytest.mark.parametrize(
    ("outcomes", "java", "expected"),
    [
        (("passed", "failed", "passed"), ("17", "17", "17"), 1),
        (("passed", "failed", "failed"), ("17", "17", "17"), 0),
        (("passed", "failed", "passed"), ("17", "21", "17"), 0),
        (("passed", "inconclusive", "passed"), ("17", "17", "17"), 0),
        (("passed", "failed", "inconclusive"), ("17", "17", "17"), 0),
    ],
    ids=["there and back", "it stays", "another Java", "it proves nothing", "nobody knows"],
)
def test_what_changes_and_changes_back_in_the_same_environment_is_flaky(
    tmp_path: Path, outcomes: tuple[str, ...], java: tuple[str, ...], expected: int
) -> None:
    for day, (outcome, version) in enumerate(zip(outcomes, java, strict=True), start=1):
        suite(tmp_path, day, outcome, java=version)

    assert sum(map(bool, flaky(tmp_path))) == expected


def test_what_has_changed_around_a_session_stands_below_it(tmp_path: Path) -> None:
    for day, java in enumerate(("17.0.15", "17.0.15", "21.0.4"), start=1):
        suite(tmp_path, day, "passed", java=java)

    told = history(list(sessions_below(tmp_path, []))).changed

    assert [dict(each) for each in told[1:]] == [{}, {"java": "21.0.4"}]


def test_a_measure_that_never_came_is_a_gap(tmp_path: Path) -> None:
    for day, gap_ms in enumerate((1800.0, None, 2100.0), start=1):
        told = {
            **suites.row("test_it", "passed", ["passed"]),
            "measures": {"longest_gap_ms": gap_ms},
        }
        suite(tmp_path, day, tests=[told])

    shown = drawn(tmp_path)

    assert "longest gap 2,100 ms; 1,800 ms to 2,100 ms in 2 sessions" in shown
    assert (tmp_path / "history.html").read_text().count('d="M0 4.') == 1


@pytest.mark.parametrize(
    ("told", "median"),
    [((100.0, 300.0, None), 300.0), ((100.0, None, None), None), ((100.0, None), None)],
)
def test_what_never_came_in_some_trials_lasted_longer_than_in_the_others(
    tmp_path: Path, told: tuple[float | None, ...], median: float | None
) -> None:
    rows = [
        {
            **suites.row(f"test_it[4.1.1-trial{at}]", "passed", ["passed"]),
            "trial": at,
            "measures": {"longest_gap_ms": each},
        }
        for at, each in enumerate(told, start=1)
    ]
    suite(tmp_path, 1, tests=rows)

    (session,) = sessions_below(tmp_path, [])

    ((_, result),) = session.results.items()
    assert result.measures == {"longest_gap_ms": median}


def test_a_record_says_what_an_older_suite_does_not(tmp_path: Path) -> None:
    trial = kip101.Trial()
    kip101.write(tmp_path / "one", trial)
    write_json(tmp_path / "one" / "suite.json", suites.content(trial.path))

    (session,) = sessions_below(tmp_path, [])

    assert session.started_at[:4].isdigit()
    assert session.circumstances == {"tool": "highwater 0.1.0", "java": "17.0.15"}


def test_cells_of_comparisons_are_told_as_well(tmp_path: Path) -> None:
    for name, loses in (("a", True), ("b", False)):
        trial = kip101.Trial(loses=loses)
        kip101.write(tmp_path / name, trial)
        cells = [kip101.cell(trial, expected="reproduced")]
        told = {"schema": 1, "started_at": f"2026-10-01T0{loses + 1}:00:00", "cells": cells}
        write_json(tmp_path / name / "compare.json", told)
    report([tmp_path / "a"], None, as_json=True)

    shown = drawn(tmp_path)

    assert "1 cell in 2 sessions of 2026-10-01: all ended well when last played" in shown
    assert "reproduced was expected" in (tmp_path / "history.html").read_text()
    assert "reproduced since 2026-10-01 02:00" in shown


def test_results_that_did_not_end_well_lead_to_their_place(tmp_path: Path) -> None:
    directory = suite(tmp_path, 1, "failed")
    report([directory], None, as_json=True)

    drawn(tmp_path)

    (link,) = re.findall(
        r'<td class="failed.*?href="([^"]+)"', (tmp_path / "history.html").read_text()
    )
    page, _, place = link.partition("#")
    assert f'id="{place}"' in (tmp_path / page).read_text()


def test_what_cannot_be_read_is_said_and_the_others_are_drawn(tmp_path: Path) -> None:
    suite(tmp_path, 1, "passed")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "suite.json").write_text('{"tests": [')

    shown = drawn(tmp_path)

    assert "Unreadable. torn/suite.json cannot be read:" in shown
    assert "1 test in 1 session" in shown


@pytest.mark.parametrize(
    "damage",
    [
        {"seconds": "long"},
        {"test": None},
        {"kafka": 3},
        {"outcome": ["passed"]},
        {"measures": {"longest_gap_ms": "x"}},
        {"violated": [{"claim": "lost-write"}]},
    ],
)
def test_a_damaged_suite_is_named_and_spoils_no_other(
    damage: dict[str, Any], tmp_path: Path
) -> None:
    suite(tmp_path, 1, "passed")
    stored = suite(tmp_path, 2, "passed") / "suite.json"
    content = json.loads(stored.read_text())
    content["tests"][0] |= damage
    stored.write_text(json.dumps(content))

    shown = drawn(tmp_path)

    named = f"the test {content['tests'][0]['test']!r}: {next(iter(damage))} is "
    assert f"day-2/suite.json cannot be read: suite.json, {named}" in shown
    assert "1 test in 1 session of 2026-10-01" in shown
    with pytest.raises(RecordError, match=f"the test .*: {next(iter(damage))} is "):
        report([tmp_path / "day-2"], None, as_json=True)


def test_a_folder_without_a_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RecordError, match=r"holds no suite\.json or compare\.json that can be read"
    ):
        report_history(tmp_path, as_json=True)
    with pytest.raises(UsageError, match="expected a directory of reports"):
        report_history(tmp_path / "no", as_json=True)
    assert not (tmp_path / "history.html").exists()


def test_the_same_reports_give_the_same_bytes(tmp_path: Path) -> None:
    suite(tmp_path, 1, "passed", "failed")
    drawn(tmp_path)
    before = (tmp_path / "history.html").read_bytes()

    drawn(tmp_path)

    assert (tmp_path / "history.html").read_bytes() == before
    assert json.loads((tmp_path / "day-1" / "suite.json").read_text())["tests"]
