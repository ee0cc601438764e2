"""`highwater rehearse-upgrade`: each step of a rolling upgrade has a trap, and tells its losses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 560
pytestmark = [pytest.mark.on_demand, pytest.mark.timeout(PATIENCE_S + 30)]


def rehearsed(directory: Path, begins: str, ends: str, *more: str) -> tuple[int, dict[str, Any]]:
    words = ["rehearse-upgrade", begins, ends, "-o", "out", "--json", *more]
    done = subprocess.run(
        [sys.executable, "-m", "highwater.cli", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr + done.stdout
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["answer"] in (directory / "out" / "rehearsal.json").read_text()
    assert (directory / "out" / "report.html").exists()
    return done.returncode, told


def test_the_step_that_closes_the_hole_of_kip_101_is_found(tmp_path: Path) -> None:
    code, told = rehearsed(tmp_path, "0.10.2.2", "0.11.0.3")

    lost = {row["step"]: row["violated"].get("lost-write", 0) for row in told["steps"]}
    assert (code, told["answer"]) == (1, "violated")
    assert lost == {"before": 10, "binaries": 10, "protocol": 10, "format": 0, "load": 0}
    assert "not at: format, load" in (tmp_path / "out" / "rehearsal.html").read_text()


def test_an_upgrade_of_a_configuration_of_ones_own_is_measured_node_by_node(
    tmp_path: Path,
) -> None:
    (tmp_path / "server.properties").write_text(
        "process.roles=broker,controller\nlog.dirs=/d\nmin.insync.replicas=2\nlog.retention.hours=9\n"
    )

    code, told = rehearsed(tmp_path, "3.9.1", "4.1.1", "--config", "server.properties")

    faults = [each["fault"].partition("(")[0] for each in told["faults"]]
    assert (code, told["answer"], told["violated"]) == (0, "held", {})
    assert [row["step"] for row in told["steps"]] == ["before", "binaries", "protocol", "load"]
    assert all(row["acked"] for row in told["steps"])
    assert (faults.count("Upgrade"), faults.count("Kill")) == (4, 3)
    assert len(told["loads"]) == 2
    assert "log.dirs" in told["notices"][0]
