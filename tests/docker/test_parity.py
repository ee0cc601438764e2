"""A verdict does not depend on the backend: what processes show, containers show as well."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Both sides of a flip: three of KIP-101, the fetches behind them, and two later rungs.
KIP101 = ["kip101-loss-strict", "kip101-loss-no-crash", "kip101-divergence"]
RUNGS = {
    **{name: ([name], ["0.10.2.2", "0.11.0.3"]) for name in KIP101},
    "hw-two-fetches": (["hw-two-fetches"], ["0.10.2.2"]),
    "kip279-fast-failover": (["kip279-fast-failover"], ["1.1.1", "2.0.1"]),
    "kip966-last-replica-standing": (["kip966-last-replica-standing"], ["4.0.0", "4.1.1"]),
}
ONCE = [
    pytest.param(KIP101, ["0.10.2.2", "0.11.0.3"], 1, id="kip101-1", marks=pytest.mark.on_demand),
    pytest.param(
        ["kip966-last-replica-standing"],
        ["4.0.0", "4.1.1"],
        1,
        id="kip966-1",
        marks=pytest.mark.on_demand,
    ),
]
OFTEN = [
    pytest.param(*RUNGS[name], 5, id=f"{name}-5", marks=pytest.mark.on_demand) for name in RUNGS
]
RERUNS = "2"  # of a cell, for trials that prove nothing; what shows anything else stays


def _compare(scenarios: list[str], kafkas: list[str], trials: int, out: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "highwater.cli", "compare", "--backend", "docker", "--json"]
    command += [word for name in scenarios for word in ("-s", name)]
    command += [word for name in kafkas for word in ("-k", name)]
    done = subprocess.run(
        [*command, "-n", str(trials), "--reruns", RERUNS, "-o", str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=850,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize(("scenarios", "kafkas", "trials"), ONCE + OFTEN)
def test_each_side_of_a_flip_shows_in_containers_what_is_expected(
    scenarios: list[str], kafkas: list[str], trials: int, tmp_path: Path
) -> None:
    cells = _compare(scenarios, kafkas, trials, tmp_path / "out")["cells"]

    assert len(cells) == len(scenarios) * len(kafkas)
    assert {cell["backend"] for cell in cells} == {"docker"}
    assert all(cell["as_expected"] for cell in cells), cells


@pytest.mark.on_demand
def test_a_schedule_is_replayed_in_containers(tmp_path: Path) -> None:
    schedule = Path(__file__).parents[1] / "schedules" / "kip101.json"
    command = [sys.executable, "-m", "highwater.cli", "replay", str(schedule), "--json"]
    command += ["-k", "0.10.2.2", "--backend", "docker", "-n", "3", "-o", str(tmp_path / "out")]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)

    (cell,) = json.loads(done.stdout)["cells"]
    assert (cell["backend"], cell["trials"]) == ("docker", 3), done.stderr
    assert cell["reproduced"], cell
