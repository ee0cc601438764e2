"""A flip is found on real brokers: of a scenario, and of a test of pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 900
SCHEDULES = Path(__file__).parents[1] / "schedules"
pytestmark = [
    pytest.mark.on_demand(together="tests/cluster/test_bisect.py"),
    pytest.mark.timeout(2 * PATIENCE_S),
]

# The record is gone on brokers that truncate to the high watermark (KIP-101).
TEST = """
import pytest
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.kip101_loss_no_crash import kip101_loss_no_crash


@pytest.mark.highwater(topic={"min.insync.replicas": "2"})
def test_nothing_is_lost(play: Play, partition: Partition) -> None:
    kip101_loss_no_crash.play(play, partition)
"""


def bisected(
    subject: str, out: Path, *more: str, bad: Sequence[str] = ("--bad", "0.10.2.1")
) -> dict[str, Any]:
    words = ["bisect", subject, *bad, "--good", "0.11.0.1", "-o", str(out), *more]
    ended = subprocess.run(
        [sys.executable, "-m", "highwater.cli", *words, "--json"],
        cwd=out.parent,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_the_release_is_found_and_one_report_has_all_that_was_played(tmp_path: Path) -> None:
    out = tmp_path / "out"

    found = bisected("kip101-loss-no-crash", out, "-n", "1")

    assert (found["last"], found["first"]) == ("0.10.2.2", "0.11.0.0")
    assert found["first_answer"] == "holds"
    tried = [step["kafka"] for step in found["tried"]]
    cells = json.loads((out / "compare.json").read_text())["cells"]
    assert [cell["kafka"] for cell in cells] == tried
    assert len(tried) == 4
    assert (out / "report.html").exists()
    played = {path: path.stat().st_mtime_ns for path in out.rglob("run.json")}

    again = bisected("kip101-loss-no-crash", out, "-n", "1", "--resume")

    assert again == found
    assert {path: path.stat().st_mtime_ns for path in out.rglob("run.json")} == played


def test_the_release_is_found_that_makes_a_test_pass(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TEST)

    found = bisected("test_it.py::test_nothing_is_lost", tmp_path / "out", "-n", "1")

    assert (found["last"], found["first"]) == ("0.10.2.2", "0.11.0.0")
    assert all("lost-write" in " ".join(step["reasons"]) for step in found["tried"][:1])


def test_the_release_is_found_that_cures_what_a_search_has_found(tmp_path: Path) -> None:
    """Where it was found it need not be said. On a busy machine the first play may come to nothing:
    a broker that is slow to lead takes the record before it has to be without it.
    """
    schedule = tmp_path / "found.json"
    schedule.write_text((SCHEDULES / "kip101.json").read_text())

    found = bisected(str(schedule), tmp_path / "out", "-n", "3", bad=())

    assert (found["bad"], found["last"], found["first"]) == ("0.10.2.2", "0.10.2.2", "0.11.0.0")
