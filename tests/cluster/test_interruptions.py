"""Whatever ends the harness, no process stays, and what was recorded can still be judged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.pytest_runs import checked, verdicts_in

from highwater.harness.wait import wait_until

KAFKA = "0.10.2.2"


def _start(out: Path) -> subprocess.Popen[str]:
    command = ["run", "kip101-divergence", "-k", KAFKA, "-n", "3", "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "highwater.cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _faulted(out: Path) -> bool:
    return any('"fault"' in path.read_text() for path in out.glob("runs/*/*/1/events.jsonl"))


def _descendants(out: Path, pid: int) -> set[int]:
    """Processes of this run: those whose command line names its workshop."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"highwater-{pid}-".encode() in line:
                found.add(int(entry.name))
    return found


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.on_demand)],
)
def test_no_broker_outlives_the_harness_and_the_record_is_judged(
    number: signal.Signals, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    running = _start(out)
    wait_until(lambda: _faulted(out), "the first fault to be injected", 120)
    brokers = _descendants(out, running.pid)

    os.kill(running.pid, number)
    if number is not signal.SIGKILL:
        os.kill(running.pid, number)  # whoever is impatient presses Ctrl-C twice
    said, _ = running.communicate(timeout=60)

    wait_until(lambda: not _descendants(out, running.pid), "every process to be gone", 20)
    assert len(brokers) >= 4
    assert "Traceback" not in said
    assert running.returncode == (-signal.SIGKILL if number is signal.SIGKILL else 3), said
    judged = checked(out)
    assert "Traceback" not in judged.stderr
    verdicts = verdicts_in(judged)
    assert verdicts["phantom-read"]["answer"] in {"HELD", "UNKNOWN"}
    assert verdicts["lost-write"]["answer"] == "UNKNOWN"


def test_an_interruption_while_a_cluster_starts_leaves_nothing(tmp_path: Path) -> None:
    place = Path(tempfile.gettempdir())
    running = _start(tmp_path / "out")
    mine = f"highwater-{running.pid}-*"
    wait_until(lambda: any(place.glob(f"{mine}/cluster-1/zookeeper.log")), "a cluster's start", 60)

    os.kill(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=60)

    assert "Traceback" not in said
    assert running.returncode == 3, said
    assert not _descendants(tmp_path, running.pid)
    assert not list(place.glob(mine))


def test_the_next_run_starts_at_once_after_a_kill(tmp_path: Path) -> None:
    killed = _start(tmp_path / "killed")
    wait_until(lambda: _faulted(tmp_path / "killed"), "the first fault to be injected", 120)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=60)

    command = ["run", "kip101-loss-no-crash", "-k", KAFKA, "--reruns", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "highwater.cli", *command, "--out", str(tmp_path / "next")],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )

    assert done.returncode == 0, done.stdout + done.stderr
