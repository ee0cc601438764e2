"""The pictures of the documentation: the way from the comparison to the log line, and the page.

`pytest tests/browser/test_pictures.py --pictures=docs/pictures --pictured=DIR --curved=DIR` takes
them of a real comparison and a real suite; without the options they are taken of written ones, and
kept nowhere.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page

LINE = "to offset 1."
SIZE = {"width": 860, "height": 540}


@pytest.fixture(scope="module")
def report(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType
) -> str:
    pictured = request.config.getoption("--pictured", default=None)
    if pictured is not None:
        return str((pictured.resolve() / "report.html").as_uri())
    root = tmp_path_factory.mktemp("pictured")
    trials = [kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)]
    for trial in trials:
        kip101.write(root, trial)
    return write_report(root, [kip101.cell(each) for each in trials], find_runs(root)).as_uri()


@pytest.fixture
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where pictures go."""
    kept: Path = request.config.getoption("--pictures", default=None) or tmp_path
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def _take(page: Page, shown: Locator, path: Path, above: int = 60) -> None:
    """A picture in which `shown` is to be seen, with a little of what stands above it."""
    expect(shown).to_be_visible()
    shown.evaluate(
        f"each => scrollTo(0, each.getBoundingClientRect().top + scrollY - {above})"
    )  # fmt: skip
    expect(shown).to_be_in_viewport()
    page.screenshot(path=path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_three_clicks_to_the_line(page: Page, report: str, kept: Path) -> None:
    page.set_viewport_size(SIZE)  # type: ignore[arg-type]
    page.goto(report)
    results = page.get_by_role("table", name="Results by scenario")
    _take(page, results, kept / "1-comparison.png", above=330)
    results.get_by_role("link", name="1", exact=True).first.click()
    value = page.get_by_role("link", name="value 3", exact=True)
    _take(page, value, kept / "2-verdicts.png", above=330)
    value.click()
    anomaly = page.locator("details.anomaly:target")
    _take(page, anomaly, kept / "3-anomaly.png")
    anomaly.get_by_role("link", name=LINE).first.click()
    expect(page.locator("tr:target")).to_be_in_viewport()

    page.screenshot(path=kept / "4-line.png")

    expect(page.locator("tr:target")).to_contain_text(LINE)


def test_what_else_the_page_shows(page: Page, report: str, kept: Path) -> None:
    page.set_viewport_size(SIZE)  # type: ignore[arg-type]
    page.goto(report)
    _take(page, page.locator("tr.differs").first, kept / "parting.png", above=330)
    _take(page, page.locator(".told li.cut").first, kept / "story.png", above=330)
    _take(page, page.get_by_role("img", name="Fetch conversation").first, kept / "talk.png")
    slider = page.get_by_role("slider").first
    slider.focus()
    while "Broker 3 cut its log" not in page.locator(".told-now").first.inner_text():
        page.keyboard.press("ArrowLeft")

    _take(page, slider, kept / "slider.png")


def test_curves(
    page: Page, request: pytest.FixtureRequest, kept: Path, suites: ModuleType, tmp_path: Path
) -> None:
    directory = request.config.getoption("--curved", default=None)
    if directory is None:
        written = write_suite_page(tmp_path, read_suite(suites.of_sizes()), [])
    else:
        written = directory.resolve() / "report.html"
    page.set_viewport_size({"width": 1240, "height": 720})
    page.goto(written.as_uri())

    _take(page, page.locator(".curves").first, kept / "curves.png", above=64)


@pytest.mark.parametrize("name", ["light", "dark", "phone", "print"])
def test_the_page_elsewhere(browser: Browser, report: str, kept: Path, name: str) -> None:
    size = {"width": 390, "height": 844} if name == "phone" else SIZE
    page = browser.new_page(viewport=size)  # type: ignore[arg-type]
    page.emulate_media(
        color_scheme="dark" if name == "dark" else "light",
        media="print" if name == "print" else "screen",
    )
    page.goto(report)

    _take(page, page.locator("h1"), kept / f"{name}.png")

    page.close()
