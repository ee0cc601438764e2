"""The same cells, or tests of a suite, in a page of Markdown for the summary of a CI job.

At most 64 KB, which leave room for what other steps have to say. What differs from what was
expected comes first, and what has no room is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater.harness.record.files import write_text
from highwater.reports.cells import Cell, read_cells
from highwater.reports.headline import headline
from highwater.reports.rewritten import LIES, of_cells
from highwater.reports.suite import ORDER, Suite, SuiteTest
from highwater.reports.wording import counted, visible

MOST_BYTES = 64_000
LONGEST = 300  # characters of a reason
MARKS = "\\`*_{}[]<>|#~&"  # that Markdown, or HTML, would read
SPECIAL = {ord(each): f"\\{each}" for each in MARKS}
CELLS = ("scenario", "Kafka", "reproduced", "clean", "inconclusive", "expected", "violated")
TESTS = ("outcome", "test", "Kafka", "why", "once more")


def write_summary(directory: Path, cells: Sequence[Mapping[str, Any]]) -> Path:
    """Write `summary.md` of a comparison into `directory` and return its path."""
    known = read_cells(cells)
    told = headline(known)
    said = " ".join([told.expectation, *told.flips, *_lies(of_cells(known))])
    head = _head(told.finding, said, CELLS)
    ordered = sorted(known, key=lambda cell: not cell.unexpected)
    return _write(directory, head, [_row(_of_cell(cell)) for cell in ordered])


def write_suite_summary(directory: Path, suite: Suite) -> Path:
    """Write `summary.md` of a suite into `directory` and return its path."""
    expectation = suite.expectation if suite.pytest else ""
    said = " ".join(filter(None, [expectation, *_lies(suite.rewritten)]))
    head = _head(suite.finding, said, TESTS)
    ordered = sorted(suite.tests, key=lambda test: ORDER.index(test.outcome))
    return _write(directory, head, [_row(_of_test(test)) for test in ordered])


def _lies(sentences: Sequence[str]) -> list[str]:
    """In a word: where, the report says."""
    return [f"{LIES} ({counted(len(sentences), 'line')} in report.html.)"] if sentences else []


def _head(finding: str, expectation: str, columns: Sequence[str]) -> list[str]:
    said = [f"## {_words(finding)}", "", _words(expectation), ""]
    return [*(said if expectation else said[:2]), _row(columns), "|---" * len(columns) + "|"]


def _write(directory: Path, head: Sequence[str], rows: Sequence[str]) -> Path:
    """As many of the rows as there is room for."""
    left = MOST_BYTES - len("\n".join(head).encode()) - LONGEST
    kept: list[str] = []
    for row in rows:
        left -= len(row.encode()) + 1
        if left < 0:
            break
        kept.append(row)
    missing = len(rows) - len(kept)
    tail = ["", f"{missing} more are in report.html."] if missing else []
    path = directory / "summary.md"
    write_text(path, "\n".join([*head, *kept, *tail]) + "\n")
    return path


def _of_cell(cell: Cell) -> Sequence[str]:
    counts = (cell.reproduced, cell.clean, cell.inconclusive)
    mark = " ✕" if cell.unexpected else ""
    violated = ", ".join(f"{claim}: {number}" for claim, number in sorted(cell.anomalies.items()))
    return (
        _words(cell.scenario),
        _words(cell.column.label),
        *(f"{each}/{cell.trials}" for each in counts),
        _words(cell.expected or "") + mark,
        _words(violated),
    )


def _of_test(test: SuiteTest) -> Sequence[str]:
    again = _command(test.command) if test.is_bad else ""
    words = (test.test, test.kafka or "", test.reason)
    return (f"{test.symbol} {test.outcome}", *(_words(each) for each in words), again)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _command(text: str) -> str:
    """As it is, or not at all: what is cut, or has lost a blank, repeats something else."""
    is_whole = len(text) <= LONGEST and text == visible(" ".join(text.splitlines()))
    return text.translate(SPECIAL) if is_whole else "see report.html"


def _words(text: str) -> str:
    """Text, whatever it looks like: in one line, and no longer than anybody reads in a table."""
    line = visible(" ".join(text.split()))
    shown = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return shown.translate(SPECIAL)
