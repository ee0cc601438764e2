"""A compose project with the layout of apache/kafka's image, attached without knowing it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.docker.foreign import (
    APART,
    FIRST,
    NAME,
    NODES,
    OLD,
    RECORDS,
    TOGETHER,
    Foreign,
    read,
    send,
)  # fmt: skip
from tests.docker.test_leftovers import ours

from highwater.harness.wait import wait_until

SCENARIOS = {
    APART: "kip966-last-replica-standing",
    TOGETHER: "kafka19446-late-marker",
    FIRST: "kip966-last-replica-standing",
    OLD: "kafka13141-diverging-fetch",
}


def _highwater(scenario: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "highwater.cli", "run", scenario, *words]


def _attached(foreign: Foreign, out: Path, trials: int) -> list[str]:
    words = ["--attach", f"compose:{NAME}", "--i-own-this-cluster", "--reruns", "4", "--json"]
    return _highwater(SCENARIOS[foreign.file], *words, "-n", str(trials), "-o", str(out))


def _played(line: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, timeout=1500, env=os.environ.copy()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    return dict(cell)


def _verdicts(out: Path) -> list[dict[str, str]]:
    """Of each trial that proves something, what is said of each claim."""
    told = []
    for place in sorted(out.rglob("verdicts.json")):
        verdicts = json.loads(place.read_text())["verdicts"]
        told.append({each["claim"]: each["answer"] for each in verdicts})
    return told


def _says_the_same(one: dict[str, str], other: dict[str, str]) -> bool:
    """Of what both have evidence of: whether a reader met a transaction is not always the same."""
    decided = [claim for claim in one if "UNKNOWN" not in {one[claim], other[claim]}]
    violated = [{claim for claim in each if each[claim] == "VIOLATED"} for each in (one, other)]
    return (
        len(decided) > 10
        and violated[0] == violated[1]
        and all(one[claim] == other[claim] for claim in decided)
    )


@pytest.mark.on_demand
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("foreign", "ended"),
    [
        pytest.param((APART, "4.0.0"), "reproduced", id="4.0.0"),
        pytest.param((APART, "4.1.1"), "clean", id="4.1.1"),
        pytest.param((TOGETHER, "4.1.1"), "reproduced", id="4.1.1-combined"),
        pytest.param((FIRST, "3.9.1"), "reproduced", id="3.9.1-single"),
        pytest.param((OLD, "2.8.0"), "reproduced", id="2.8.0-zookeeper"),
    ],
    indirect=["foreign"],
)
def test_a_cluster_of_a_foreign_file_gives_the_verdicts_of_processes(
    foreign: Foreign, ended: str, tmp_path: Path
) -> None:
    send()
    before = {each.id for each in foreign.containers}

    cell = _played(_attached(foreign, tmp_path / "attached", 3))

    assert cell[ended] == 3, cell
    alone = ["-n", "1", "--reruns", "2", "--json", "-o", str(tmp_path / "alone")]
    line = _highwater(SCENARIOS[foreign.file], "-k", foreign.release, *alone)
    assert _played(line)[ended] == 1
    (expected,) = _verdicts(tmp_path / "alone")[-1:]
    assert sum(_says_the_same(each, expected) for each in _verdicts(tmp_path / "attached")) >= 3
    identity = json.loads(next((tmp_path / "attached").rglob("run.json")).read_text())
    assert identity["image"] == f"{NAME}:{foreign.release}"
    assert identity["stands_in_for"] == NODES[foreign.file]
    assert identity.get("combined", False) is (foreign.file == TOGETHER)
    assert identity.get("divided", []) == ([1] if foreign.file == FIRST else [])
    foreign.await_up()
    assert {each.id for each in foreign.containers} == before
    assert read() == RECORDS


@pytest.mark.on_demand
@pytest.mark.parametrize("foreign", [pytest.param((APART, "4.1.1"), id="4.1.1")], indirect=True)
def test_a_foreign_cluster_is_stopped_where_that_is_allowed_and_given_back_whatever_happens(
    foreign: Foreign, tmp_path: Path
) -> None:
    before, ids = ours(foreign.client), {each.id for each in foreign.containers}
    scenario = SCENARIOS[foreign.file]
    line = _highwater(scenario, "--attach", f"compose:{NAME}", "-o", str(tmp_path / "refused"))
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "say that this may be done to them" in done.stderr
    assert "--i-own-this-cluster" in done.stderr
    assert {each.id for each in foreign.containers} == ids

    running = subprocess.Popen(
        _attached(foreign, tmp_path / "out", 50),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ.copy(),
    )
    wait_until(lambda: len(ours(foreign.client) - before) >= 5, "stand-ins to run", 240)
    assert not foreign.containers

    os.kill(running.pid, signal.SIGKILL)
    running.wait()

    foreign.await_up()
    assert {each.id for each in foreign.containers} == ids
    wait_until(lambda: ours(foreign.client) <= before, "nothing of ours to be left", 60)
