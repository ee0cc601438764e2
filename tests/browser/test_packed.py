"""A comparison of many cells in a real Chromium: found, unpacked, its verdicts without scripts."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import complaints, width_px

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CELLS = 48


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType) -> str:
    """Address of a comparison of more cells than are shown as they are; one is not as expected."""
    root = tmp_path_factory.mktemp("packed")
    trials = [kip101.Trial(scenario=f"s-{n:02}", loses=n % 3 == 0) for n in range(CELLS)]
    for trial in trials:
        kip101.write(root, trial)
    cells = [kip101.cell(trial) for trial in trials]
    cells[-1] = kip101.cell(trials[-1], expected="reproduced")
    return write_report(root, cells, find_runs(root)).as_uri()


def rows(page: Page) -> list[str]:
    return page.locator("#cells tbody tr:visible > th").all_inner_texts()


def test_what_is_not_as_expected_stands_first_and_rows_are_found(page: Page, report: str) -> None:
    page.goto(report)
    assert rows(page)[0] == f"s-{CELLS - 1}"

    page.get_by_label("Violated").select_option("lost-write")
    assert len(rows(page)) == CELLS / 3

    page.get_by_role("searchbox", name="Find").fill("s-4")
    assert rows(page) == ["s-42", "s-45"]
    page.get_by_label("Violated").select_option("")
    page.locator("select[name=result]").select_option("not as expected")
    assert rows(page) == [f"s-{CELLS - 1}"]


def test_a_cell_is_unpacked_by_keyboard_and_works_as_others_do(page: Page, report: str) -> None:
    page.goto(report)
    cell = page.locator("[id='cell-s-45-0.10.2.2-process']")
    expect(cell.locator("details.run")).to_have_count(0)

    cell.locator("summary").first.press("Enter")
    cell.locator("details.run > summary").press("Enter")

    expect(cell.get_by_role("heading", name="Verdicts")).to_be_visible()
    expect(cell.get_by_role("button", name="Copy").first).to_be_visible()
    slider = cell.get_by_role("slider")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^\d+\.\d{3} s, broker 3 leads"))


def test_a_link_into_what_is_packed_leads_there(page: Page, report: str) -> None:
    place = "run-runs-s-45-0.10.2.2-1-lost-write"

    page.goto(f"{report}#{place}")

    expect(page.locator("tr:target")).to_have_id(place)
    expect(page.locator("tr:target")).to_be_in_viewport()


def test_it_says_nothing_and_asks_for_nothing(page: Page, report: str) -> None:
    said: list[str] = []
    page.on("requestfailed", lambda request: said.append(request.url))

    said += complaints(page, f"{report}#run-runs-s-45-0.10.2.2-1-lost-write")
    expect(page.locator("tr:target")).to_be_visible()

    assert said == []


def test_without_scripts_verdicts_are_there(browser: Browser, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()

    page.goto(report)

    assert len(rows(page)) == CELLS
    expect(page.locator("#cells tbody tr").first).to_contain_text("0/1 reproduced")
    expect(page.locator(".pill.VIOLATED").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_it_never_scrolls_sideways(browser: Browser, report: str, width: int) -> None:
    assert width_px(browser, report, width) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(browser: Browser, report: str, scheme: str) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{report}#run-runs-s-45-0.10.2.2-1-lost-write")
    expect(page.locator("tr:target")).to_be_visible()

    found = Axe().run(page, options={"runOnly": RULES})

    assert found.response["passes"]
    assert found.response["violations"] == [], found.generate_report()
    page.close()
