"""docs/howto/records.md is executed: its commands and its notebook, on the record of the ledger."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "howto" / "records.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.spark


def python_of(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a record that is called as the page calls it."""
    folder = tmp_path_factory.mktemp("kept")
    (example,) = python_of((DOCS / "ledger.md").read_text(encoding="utf-8"))
    subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)
    (folder / "foreign-run").rename(folder / "first")
    return folder


def test_the_commands_of_the_page_judge_and_draw(place: Path) -> None:
    (block,) = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    commands = [line.removeprefix("$ highwater ").split() for line in block.splitlines()]

    ended = [
        subprocess.run([sys.executable, "-m", "highwater.cli", *words], cwd=place, check=False)
        for words in commands
    ]

    assert [each.returncode for each in ended] == [1, 1, 0]  # a claim is violated in that record
    assert (place / "first" / "report.html").exists()


def test_the_notebook_of_the_page_shows_what_is_violated(place: Path) -> None:
    asked, judged = python_of(PAGE)
    shown = "\nprint(runs.violated['claim'].tolist())"

    said = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=place, check=True, capture_output=True, text=True
        ).stdout
        for code in (asked + shown, judged)
    ]

    assert said[0].strip() == "['lost-write']"
    assert said[1].split()[:6] == ["answer", "VIOLATED", "considered", "3", "anomalies", "1"]
