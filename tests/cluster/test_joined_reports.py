"""What several jobs have played, as one report: real comparisons, and real suites."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.pytest_runs import run_pytest

WHAT = ("-s", "kip101-loss-no-crash", "-k", "0.10.2.2", "-k", "0.11.0.3", "-n", "1")
SUITE = """
import pytest


def test_passes(partition):
    partition.require_acked(partition.send(3))


def test_fails(partition):
    assert partition.send(3).acked == 4
"""


def highwater(*words: str) -> None:
    command = [sys.executable, "-m", "highwater.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def content(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.on_demand
def test_shards_of_a_comparison_that_two_jobs_have_played_are_one(tmp_path: Path) -> None:
    shards = [str(tmp_path / name) for name in ("1", "2")]
    for number, out in enumerate(shards, start=1):
        words = ("--reruns", "2", "--out", out, "--shard", f"{number}/2")
        highwater("compare", *WHAT, *words)

    highwater("report", *shards, "--out", str(tmp_path / "all"))

    cells = content(tmp_path / "all" / "compare.json")["cells"]
    assert [(cell["kafka"], cell["reproduced"] > 0, cell["as_expected"]) for cell in cells] == [
        ("0.10.2.2", True, True),
        ("0.11.0.3", False, True),
    ]
    assert "10 of 11" in (tmp_path / "all" / "report.html").read_text()
    assert ET.parse(tmp_path / "all" / "junit.xml").getroot()[0].get("failures") == "0"
    assert "kip101" in (tmp_path / "all" / "summary.md").read_text()


@pytest.mark.on_demand
def test_suites_that_two_jobs_have_played_are_one(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(SUITE, encoding="utf-8")
    for name in ("passes", "fails"):
        run_pytest(tmp_path, "--highwater-report", name, "-k", name, timeout_s=200)

    highwater(
        "report",
        *(str(tmp_path / each) for each in ("passes", "fails")),
        "-o",
        str(tmp_path / "all"),
    )

    out = tmp_path / "all"
    assert content(out / "suite.json")["outcomes"] == {"passed": 1, "failed": 1}
    runs = [each["run"] for each in content(out / "suite.json")["tests"]]
    assert all((out / run / "verdicts.json").exists() for run in runs)
    page = (out / "report.html").read_text()
    assert page.count("Record of the play") == 2
    assert ET.parse(out / "junit.xml").getroot()[0].get("tests") == "2"
