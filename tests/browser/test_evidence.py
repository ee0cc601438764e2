"""From the comparison to the log line that shows why a record was lost, in a real Chromium."""

from __future__ import annotations

from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page, expect

from highwater.harness.record.reader import find_runs
from highwater.reports import write_report

LINE = "Truncating log t-0 to offset 1."


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, kip101: ModuleType) -> str:
    """Address of a report of a loss on one Kafka and of none on another."""
    root = tmp_path_factory.mktemp("evidence")
    trials = [kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)]
    for trial in trials:
        kip101.write(root, trial)
    return write_report(root, [kip101.cell(each) for each in trials], find_runs(root)).as_uri()


def test_three_clicks_lead_from_the_comparison_to_the_log_line(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("table", name="Results").get_by_role(
        "link", name="1", exact=True
    ).first.click()
    page.get_by_role("link", name="value 3", exact=True).click()
    page.locator("details.anomaly:target").get_by_role("link", name=LINE).first.click()

    line = page.locator("tr:target")
    expect(line).to_be_in_viewport(ratio=1)
    head = page.locator("table.log:has(tr:target) thead th").first.bounding_box()
    row = line.bounding_box()
    assert head
    assert row
    assert row["y"] >= head["y"] + head["height"]  # the head of the table stays where it is
    expect(line).to_contain_text(LINE)
    expect(line).to_contain_text("broker 3")


def test_the_same_way_can_be_gone_by_keyboard(page: Page, report: str) -> None:
    page.goto(report)

    for link in (
        page.get_by_role("table", name="Results").get_by_role("link", name="1", exact=True).first,
        page.get_by_role("link", name="value 3", exact=True),
        page.locator("details.anomaly:target").get_by_role("link", name=LINE).first,
    ):
        link.focus()
        page.keyboard.press("Enter")

    expect(page.locator("tr:target")).to_contain_text(LINE)


def test_the_link_of_an_anomaly_opens_it(page: Page, report: str) -> None:
    page.goto(report)
    link = page.get_by_role("link", name="value 3", exact=True).get_attribute("href")

    page.goto(f"{report}{link}")

    anomaly = page.locator("details.anomaly:target")
    expect(anomaly.get_by_role("table")).to_be_visible()
    expect(anomaly.get_by_text("Hypothesis")).to_be_visible()
    expect(anomaly.get_by_text("highwater run kip101-loss-strict --kafka 0.10.2.2")).to_be_visible()


def test_without_scripts_the_links_lead_there_as_well(browser: Browser, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report)

    page.get_by_role("link", name="value 3", exact=True).click()

    expect(page.locator("details.anomaly:target summary").first).to_be_in_viewport()
    context.close()


def test_a_sentence_of_the_story_leads_to_its_place_in_the_timeline(
    page: Page, report: str
) -> None:
    page.goto(report)
    sentence = page.locator(".told li.cut", has_text="Broker 3").first

    sentence.get_by_role("link").click()

    place = page.locator("svg.timeline .moment:target")
    expect(place).to_have_count(1)
    expect(place).to_be_in_viewport()


def test_the_fetch_conversation_is_a_picture_with_words_beside_it(page: Page, report: str) -> None:
    page.goto(report)

    page.locator("details.run[open]").get_by_text("The same in words", exact=True).first.click()

    expect(page.get_by_role("img", name="Fetch conversation").first).to_be_visible()
    told = page.locator("details.run[open] ol.talk").first
    expect(told).to_contain_text(
        "broker 1 to broker 3: answer: HW 11, no records: held at the gate"
    )


def test_two_runs_stand_side_by_side_and_say_where_they_part(page: Page, report: str) -> None:
    page.goto(report)

    page.locator("section[aria-labelledby=beside] p.fate").get_by_role("link").click()

    parting = page.locator("tr:target")
    expect(parting).to_contain_text("they part here")
    expect(parting).to_contain_text("broker 3 cuts its log")
    expect(parting).to_be_in_viewport()
