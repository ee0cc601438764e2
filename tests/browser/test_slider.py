"""One slider for logs, LEO, HW, ISR and epochs, in a real Chromium."""

from __future__ import annotations

from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page, expect

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType) -> str:
    root = tmp_path_factory.mktemp("slider")
    kip101.write(root, kip101.Trial())
    return write_report(root, [kip101.cell(kip101.Trial())], find_runs(root)).as_uri()


def test_keys_move_the_replicas_through_time(page: Page, report: str) -> None:
    page.goto(report)
    slider = page.get_by_role("slider")
    third = page.locator(".scrub tbody tr", has_text="broker 3")
    squares = third.locator("td[data-o]")
    last = squares.count() - 1
    expect(squares.nth(last)).to_have_class("beyond")
    slider.focus()

    seen = []
    for _ in range(int(slider.get_attribute("max") or 0)):
        page.keyboard.press("ArrowLeft")
        seen.append(squares.nth(last).inner_text())

    assert "○" in seen
    assert "·" in seen
    assert seen[-1] == "?"  # before anybody looked
    page.keyboard.press("End")
    expect(page.locator(".scrub .leader")).to_have_text("broker 3 leads, epoch 2; ISR 3")


def test_the_sentence_of_the_moment_and_a_line_in_the_charts_go_along(
    page: Page, report: str
) -> None:
    page.goto(report)
    slider = page.get_by_role("slider")
    slider.focus()

    while "cut its log" not in page.locator(".told-now").inner_text():
        page.keyboard.press("ArrowLeft")

    at, who = (page.locator(f".scrub {each}").inner_text() for each in ("output", ".leader"))
    expect(slider).to_have_attribute("aria-valuetext", f"{at}, {who}")
    expect(page.locator("svg.timeline .cursor.on")).to_have_count(1)
    expect(page.locator("svg.watermarks .cursor.on")).to_have_count(1)


def test_without_scripts_the_last_state_is_there_and_no_slider(
    browser: Browser, report: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()

    page.goto(report)

    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.locator(".scrub tbody tr").first).to_contain_text("broker 1")
    context.close()
