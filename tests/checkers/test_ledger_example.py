"""docs/ledger.md is a contract: its example is judged as it says, and its tables are the code's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from highwater.checkers.judge import judge
from highwater.harness.record.reader import open_run
from highwater.harness.tables import TABLES

PAGE = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")


def _example() -> str:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(code)


def _table(first_cell: str, after: str) -> list[list[str]]:
    """The rows of the first table below `after` whose heading row begins with `first_cell`."""
    lines = PAGE[PAGE.index(after) :].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {first_cell} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def _columns(schema: pa.Schema) -> list[list[str]]:
    return [[field.name, str(field.type), "yes" if field.nullable else "no"] for field in schema]


@pytest.mark.spark
def test_the_foreign_record_of_the_page_is_judged_as_the_page_says(tmp_path: Path) -> None:
    told = _table("claim", "## A foreign record")
    subprocess.run([sys.executable, "-c", _example()], cwd=tmp_path, check=True)
    run = open_run(tmp_path / "foreign-run")

    verdicts = judge([run])[run.path]

    assert told == [
        [each.claim, each.answer.value, str(each.considered), str(each.anomalies), each.reason]
        for each in verdicts
    ]
    (lost,) = (each for each in verdicts if each.claim == "lost-write")
    assert [(witness["offset"], witness["value"]) for witness in lost.witnesses] == [(1, 2)]


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_columns_of_every_table(name: str) -> None:
    told = _table("column", f"\n### {name}\n")

    assert [row[:3] for row in told] == _columns(TABLES[name])
