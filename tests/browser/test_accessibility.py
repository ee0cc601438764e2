"""No violation of WCAG 2.2 AA by axe-core, light and dark, with everything open."""

from __future__ import annotations

from types import ModuleType

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

REPLAYED = """{"origin": {"replays": "found-1", "hits": 8, "plays": 10, "moves": "gentle"},
"steps": [{"move": "lead", "broker": 2, "before": ["leader HW=LEO"], "after": [], "danger": 3}]}"""


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType, suites: ModuleType
) -> dict[str, str]:
    """Addresses of a comparison and of a suite, each with a loss, and of one with curves."""
    compared, suite = tmp_path_factory.mktemp("compared"), tmp_path_factory.mktemp("suite")
    curves = tmp_path_factory.mktemp("curves")
    trials = [kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)]
    for trial in trials:
        kip101.write(compared, trial)
    (compared / trials[0].path / "schedule.json").write_text(REPLAYED, encoding="utf-8")
    kip101.write(suite, trials[0])
    cells = [kip101.cell(each) for each in trials]
    told = read_suite(suites.content(trials[0].path))
    return {
        "compared": write_report(compared, cells, find_runs(compared)).as_uri(),
        "suite": write_suite_page(suite, told, find_runs(suite)).as_uri(),
        "curves": write_suite_page(curves, read_suite(suites.of_sizes()), []).as_uri(),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["compared", "suite", "curves"])
def test_nothing_keeps_anybody_out(
    browser: Browser, pages: dict[str, str], name: str, scheme: str
) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    found = Axe().run(page, options={"runOnly": RULES})

    assert found.response["passes"]
    assert found.response["violations"] == [], found.generate_report()
    page.close()
