"""The report in a real Chromium: silent, self-contained, never too wide, whole without scripts."""

from __future__ import annotations

from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.opening import Scheme, complaints, width_px

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType) -> str:
    """Address of a report of three cells: a loss, a clean one, and a run that was killed."""
    root = tmp_path_factory.mktemp("compared")
    trials = [
        kip101.Trial(),
        kip101.Trial(kafka="0.11.0.3", loses=False),
        kip101.Trial(kafka="1.1.1", killed=True),
    ]
    for trial in trials:
        kip101.write(root, trial)
    cells = [kip101.cell(trial) for trial in trials]
    return write_report(root, cells, find_runs(root)).as_uri()


def test_it_opens_from_disk_without_an_error_or_a_request(page: Page, report: str) -> None:
    assert complaints(page, report) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_never_scrolls_sideways(
    browser: Browser, report: str, width: int, scheme: Scheme
) -> None:
    assert width_px(browser, report, width, scheme) <= width


def test_headings_and_tables_are_found_by_their_roles(page: Page, report: str) -> None:
    page.goto(report)

    assert page.get_by_role("heading", level=1).inner_text().startswith("Kafka 0.10.2.2 lost 10")
    assert page.get_by_role("heading", name="Scenario by version").count() == 1
    assert page.get_by_role("table", name="Results by scenario and version").count() == 1
    results = page.get_by_role("table", name="Results by scenario and version")
    assert results.get_by_role("columnheader", name="0.11.0.3").count() == 1
    assert page.get_by_role("img", name="Timeline").count() >= 1


def test_a_link_to_a_trial_opens_it(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("table", name="Results").get_by_role("link", name="1", exact=True).nth(
        1
    ).click()

    opened = page.locator("details.run[open] .path").all_inner_texts()
    assert "runs/kip101-loss-strict/0.11.0.3/1" in opened


def test_events_can_be_filtered_by_kind(page: Page, report: str) -> None:
    page.goto(report)
    page.locator("details.events summary").first.click()
    row = page.locator("tr[data-k=gate]").first

    page.locator("input[value=gate]").first.uncheck()

    assert row.is_hidden()


def test_without_scripts_the_verdicts_are_there(browser: Browser, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()

    page.goto(report)

    assert page.get_by_text("VIOLATED").first.is_visible()
    assert page.get_by_role("button", name="Copy").count() == 0
    context.close()


def test_printing_opens_everything(page: Page, report: str) -> None:
    page.goto(report)

    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.locator("details:not([open])").count() == 0
