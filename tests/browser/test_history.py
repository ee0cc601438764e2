"""The page of a history in a real Chromium: rows are found, sorted, and there without scripts."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import complaints, width_px

from highwater.past import report_history

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SESSIONS, TESTS = 8, 250


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, suites: ModuleType) -> str:
    """Address of a history of many tests: the last one fails since two sessions, one is flaky."""
    root: Path = tmp_path_factory.mktemp("history")
    for session in range(SESSIONS):
        tests = [
            {
                **suites.row(f"test_{number}", outcome, [outcome], seconds=1.0 + number),
                "kafka": "4.1.1" if number % 2 else "0.10.2.2",
                "measures": {"longest_gap_ms": 100.0 * session},
            }
            for number in range(TESTS)
            for outcome in [_outcome(number, session)]
        ]
        directory = root / f"session-{session}"
        directory.mkdir()
        told = {"schema": 1, "started_at": f"2026-10-0{session + 1}T08:00:00", "tests": tests}
        (directory / "suite.json").write_text(json.dumps(told))
    report_history(root, as_json=True)
    return (root / "history.html").as_uri()


def _outcome(number: int, session: int) -> str:
    is_bad = (number == TESTS - 1 and session >= SESSIONS - 2) or (number == 7 and session == 4)
    return "failed" if is_bad else "passed"


def names(page: Page) -> list[str]:
    return page.locator("#history tbody tr:visible > th").all_inner_texts()


def test_what_fails_and_what_is_flaky_stand_first(page: Page, report: str) -> None:
    page.goto(report)

    first, second, *rest = names(page)

    assert f"test_{TESTS - 1}" in first
    assert "test_7" in second
    assert len(rest) == 198  # more are shown when asked for
    page.get_by_role("button", name=f"Show all {TESTS}").click()
    assert len(names(page)) == TESTS


def test_rows_are_found_by_text_outcome_and_kafka(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("searchbox", name="Find").fill("test_24")
    page.get_by_label("Kafka").select_option("0.10.2.2")

    assert {each.split("::")[1].split("[")[0] for each in names(page)} == {
        f"test_{number}" for number in (24, 240, 242, 244, 246, 248)
    }
    expect(page.get_by_role("search")).to_contain_text(f"6 of {TESTS} rows")
    page.get_by_role("searchbox", name="Find").fill("")
    page.get_by_label("Kafka").select_option("")
    page.get_by_label("Last").select_option("flaky")
    assert len(names(page)) == 1


def test_a_head_sorts_by_keyboard(page: Page, report: str) -> None:
    page.goto(report)
    head = page.get_by_role("columnheader", name="Test")

    head.get_by_role("button").press("Enter")

    expect(head).to_have_attribute("aria-sort", "ascending")
    assert "test_0[" in names(page)[0]
    head.get_by_role("button").press("Enter")
    assert f"test_{TESTS - 1}[" in names(page)[0]


@pytest.mark.parametrize("width", [390, 1280])
def test_it_never_scrolls_sideways(browser: Browser, report: str, width: int) -> None:
    assert width_px(browser, report, width) <= width


def test_it_says_nothing_and_asks_for_nothing(page: Page, report: str) -> None:
    assert complaints(page, report) == []


def test_without_scripts_every_row_is_there(browser: Browser, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()

    page.goto(report)

    assert len(names(page)) == TESTS
    expect(page.get_by_role("searchbox")).to_have_count(0)
    context.close()


BEFORE_THE_SCRIPT = """() => {
  document.querySelector(".sift").hidden = true;
  for (const row of document.querySelectorAll("table.history tbody tr")) row.hidden = false;
}"""


def test_what_comes_before_the_script_is_laid_out_in_part_only(page: Page, report: str) -> None:
    page.goto(report)
    page.evaluate(BEFORE_THE_SCRIPT)

    assert len(names(page)) == 200

    page.emulate_media(media="print")
    assert len(names(page)) == TESTS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(browser: Browser, report: str, scheme: str) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(report)
    page.get_by_role("searchbox", name="Find").fill("test_7")

    found = Axe().run(page, options={"runOnly": RULES})

    assert found.response["passes"]
    assert found.response["violations"] == [], found.generate_report()
    page.close()
