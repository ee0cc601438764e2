"""Rungs of the ladder on real brokers: both sides of every flip, once.

A few are played each time, and the others by turns, a group of them with each long slice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.foreign.programs import OURS
from highwater.harness.record.reader import find_runs
from highwater.harness.scenario import lines_up_with
from highwater.scenarios.catalogue import scenarios

HERE = "tests/cluster/test_ladder.py"
SHARDS = min(2, os.cpu_count() or 1)
PATIENCE_S = 1800  # six minutes on a quiet machine; far more where others work beside it
pytestmark = pytest.mark.timeout(2 * PATIENCE_S)
GROUPS = 27  # of the scenarios that are played by turns
# Beside those of KIP-101, which test_scenarios.py plays each time.
ALWAYS = {
    "kip279-fast-failover",
    "kafka7164-missed-epoch",
    "kafka13141-diverging-fetch",
    "kip966-last-replica-standing",
}


def _rungs() -> list[Any]:
    """The names of all scenarios with our client; those that are played by turns are long tests."""
    names = [each.name for each in scenarios() if lines_up_with(each, OURS)]
    by_turns = [name for name in names if name not in ALWAYS]
    group = {name: number % GROUPS for number, name in enumerate(by_turns)}
    return [
        name
        if name in ALWAYS
        else pytest.param(name, marks=pytest.mark.on_demand(together=f"{HERE}[{group[name]}]"))
        for name in names
    ]


@pytest.fixture(scope="module")
def chosen(request: pytest.FixtureRequest) -> list[str]:
    """The scenarios whose tests are played."""
    mine = [item for item in request.session.items if item.path == request.path]
    calls = [getattr(item, "callspec", None) for item in mine]
    named = [call.params.get("scenario") for call in calls if call]
    return [each.name for each in scenarios() if each.name in named]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory, chosen: list[str]) -> Path:
    """What `highwater matrix --fast` shows; its shards are played side by side."""
    out = tmp_path_factory.mktemp("ladder")
    asked = ["--fast", "-n", "1", "--reruns", "2", "-o", str(out)]
    asked += [word for name in chosen for word in ("-s", name)]
    matrix = [sys.executable, "-m", "highwater.cli", "matrix", *asked]
    with ExitStack() as stack:
        shards = []
        for place in range(1, SHARDS + 1):
            shards.append(subprocess.Popen([*matrix, "--shard", f"{place}/{SHARDS}"]))
            stack.callback(shards[-1].wait)
            stack.callback(shards[-1].terminate)
        assert [shard.wait(PATIENCE_S) for shard in shards] == [0] * SHARDS
    subprocess.run([*matrix, "--resume"], check=False, timeout=PATIENCE_S)
    return out


@pytest.fixture(scope="module")
def cells(ladder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ladder / "compare.json").read_text())["cells"]
    return found


@pytest.mark.parametrize("scenario", _rungs())
def test_each_side_of_the_flip_shows_what_is_expected(
    cells: list[dict[str, Any]], scenario: str
) -> None:
    mine = [cell for cell in cells if cell["scenario"] == scenario]

    surprising = [cell for cell in mine if not cell["as_expected"]]
    assert mine
    assert not surprising, json.dumps(surprising, indent=1)


def test_the_second_opinion_is_the_same_on_every_run(ladder: Path, chosen: list[str]) -> None:
    runs = find_runs(ladder)

    assert len(runs) > len(chosen)
    assert [line for run in runs for line in disagreements(run, run.verdicts())] == []
