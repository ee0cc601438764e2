"""The page of Markdown for a CI job: a table that holds, whatever stands in it."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from tests.unit.reports.suites import content, row

from highwater.reports.suite import read_suite
from highwater.reports.summary import MOST_BYTES, write_suite_summary, write_summary

MARKDOWN = MarkdownIt("commonmark", {"html": True, "xhtmlOut": True}).enable("table")
HOSTILE = ["a|b", "<script>alert(1)</script>", "*x*", "`c`", "[l](http://x)", "a\nb", "&lt;", "\\|"]


def table_of(page: Path) -> list[list[str]]:
    """The rows of the one table as a reader sees them, without its head."""
    drawn = ET.fromstring(f"<page>{MARKDOWN.render(page.read_text(encoding='utf-8'))}</page>")
    (body,) = drawn.iter("tbody")
    rows = [list(each) for each in body]
    assert [list(cell) for cells in rows for cell in cells if list(cell)] == []  # nothing but text
    return [[(cell.text or "").strip() for cell in cells] for cells in rows]


def test_a_comparison_has_a_row_for_each_cell_and_what_differs_first(
    kip101: ModuleType, tmp_path: Path
) -> None:
    held = kip101.cell(kip101.Trial(loses=False))
    odd = {**held, "expected": "reproduced", "as_expected": False}
    fixed = kip101.cell(kip101.Trial(kafka="0.11.0.3", loses=False))

    page = write_summary(tmp_path, [fixed, odd])

    assert page.name == "summary.md"
    first, second = table_of(page)
    assert first == ["kip101-loss-strict", "0.10.2.2", "0/1", "1/1", "0/1", "reproduced ✕", ""]
    assert second[:4] == ["kip101-loss-strict", "0.11.0.3", "0/1", "1/1"]
    said = page.read_text(encoding="utf-8")
    assert said.startswith("## Kafka 0.10.2.2 and 0.11.0.3 each showed no violation in 1 trial of")
    assert "NOT as expected in 1 of 2 cells" in said


def test_a_suite_has_a_row_for_each_test_and_how_to_repeat_what_failed(tmp_path: Path) -> None:
    rows = table_of(write_suite_summary(tmp_path, read_suite(content())))

    marks = [mark for mark, *_ in rows]
    assert marks == ["✕ failed", "✕ failed", "? inconclusive", "! error", "✓ passed", "− skipped"]  # noqa: RUF001
    by_name = {name.partition("::")[2]: (why, again) for _, name, _, why, again in rows}
    assert by_name["test_passes[0.10.2.2]"] == ("", "")
    why, again = by_name["test_without_evidence[0.10.2.2]"]
    assert why == "no evidence for <t>"
    assert again.startswith("pytest 'folder/test_eight.py::test_without_evidence[0.10.2.2]'")


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str, tmp_path: Path) -> None:
    tests = [row("test_x", "failed", ["failed"], reason=text)]

    ((_, _, _, why, _),) = table_of(write_suite_summary(tmp_path, read_suite(content(tests=tests))))

    assert why == " ".join(text.split())


def test_what_is_no_text_is_shown_by_an_escape(tmp_path: Path) -> None:
    reason = os.fsdecode(b"no such file: f\xff.txt")
    tests = [row("test_x", "failed", ["failed"], reason=reason, command=f"pytest {reason}")]

    ((_, _, _, why, again),) = table_of(
        write_suite_summary(tmp_path, read_suite(content(tests=tests)))
    )

    assert (why, again) == (r"no such file: f\udcff.txt", "see report.html")


def test_what_has_no_room_is_counted(tmp_path: Path) -> None:
    tests = [row(f"test_{n}", "failed", ["failed"], reason="ü" * 5000) for n in range(1000)]

    page = write_suite_summary(tmp_path, read_suite(content(tests=tests)))

    shown = len(table_of(page))
    assert len(page.read_bytes()) < MOST_BYTES
    assert shown > 30
    assert f"{1000 - shown} more are in report.html." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("blank", ["  ", "\n", " " + "x" * 400 + " "])
def test_a_command_is_shown_as_it_is_or_not_at_all(blank: str, tmp_path: Path) -> None:
    command = f"pytest 'test_a.py::test_b[1{blank}2]'"
    tests = [row("test_x", "failed", ["failed"], command=command)]
    (cells,) = table_of(write_suite_summary(tmp_path, read_suite(content(tests=tests))))

    assert cells[-1] == (command if blank == "  " else "see report.html")
