"""The page of a pytest suite in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.opening import Scheme, complaints, width_px

from highwater.harness.record.reader import find_runs
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page

OUTCOMES = ["passed", "failed", "failed", "inconclusive", "error", "skipped"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType, suites: ModuleType) -> str:
    """Address of the page of six tests, one of which has a record of a loss."""
    root = tmp_path_factory.mktemp("suite")
    kip101.write(root, kip101.Trial())
    suite = read_suite(suites.content(kip101.Trial().path))
    return write_suite_page(root, suite, find_runs(root)).as_uri()


def test_the_table_says_the_outcome_of_each_test(page: Page, report: str) -> None:
    page.goto(report)

    rows = page.get_by_role("table", name="Outcomes of the tests").get_by_role("row").all()

    said = [row.get_by_role("cell").first.inner_text().split()[-1] for row in rows[1:]]
    assert said == OUTCOMES


def test_a_test_says_the_same_in_its_own_section(page: Page, report: str) -> None:
    page.goto(report)

    pills = page.locator("section.group > p.result .pill").all_inner_texts()

    assert [each.split()[-1] for each in pills] == OUTCOMES
    assert page.locator("section.group .again code").all_inner_texts()[-1] == (
        "pytest 'folder/test_eight.py::test_is_skipped[0.10.2.2]' --kafka 0.10.2.2"
    )


def test_a_link_leads_to_the_test_with_its_open_record(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("link", name="test_fails_by_a_claim").click()

    section = page.locator("section.group:target")
    assert section.get_by_text("every acknowledged write is still there").is_visible()
    assert section.get_by_role("heading", name="Timeline").is_visible()


def test_it_opens_without_an_error_or_a_request(page: Page, report: str) -> None:
    assert complaints(page, report) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_never_scrolls_sideways(
    browser: Browser, report: str, width: int, scheme: Scheme
) -> None:
    assert width_px(browser, report, width, scheme) <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_curves_fit_into_the_page(
    browser: Browser, suites: ModuleType, width: int, tmp_path: Path
) -> None:
    page = write_suite_page(tmp_path, read_suite(suites.of_sizes()), []).as_uri()

    assert width_px(browser, page, width, "light") <= width


def test_a_long_argument_of_one_word_is_broken(
    browser: Browser, suites: ModuleType, tmp_path: Path
) -> None:
    told = suites.of_sizes()
    for test in told["tests"]:
        test["arguments"]["name"] = "x" * 80

    page = write_suite_page(tmp_path, read_suite(told), []).as_uri()

    assert width_px(browser, page, 390, "light") <= 390


def test_a_curve_has_its_figures_in_a_table(page: Page, suites: ModuleType, tmp_path: Path) -> None:
    page.goto(write_suite_page(tmp_path, read_suite(suites.of_sizes()), []).as_uri())

    page.get_by_text("The figures").click()

    table = page.get_by_role("table", name="Figures of wide/test_dies.py")
    rows = [row.inner_text().split("\t") for row in table.get_by_role("row").all()]
    assert rows[0] == ["Measure", "Played on", "10", "100", "1,000"]
    waited = ["after a fault, sends waited in vain", "Kafka 0.10.2.2"]
    assert [*waited, "2,940 ms", "3,300 ms", "6,900 ms"] in rows
