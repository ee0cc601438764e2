"""The pytest plugin as its users meet it: red where a claim is violated, with the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import os
from pathlib import Path

import pytest
from highwater.faults.expire_session import ExpireSession
from highwater.scenarios.kip101_loss_no_crash import kip101_loss_no_crash


@pytest.mark.highwater(kafka="<0.11")
def test_nothing_is_lost_by_two_elections(play):
    kip101_loss_no_crash.play(play)


@pytest.mark.highwater(kafka=">=1.0")
def test_for_newer_ones(play):
    raise AssertionError("must be skipped")


@pytest.mark.highwater(replicas=2)
def test_nothing_was_sent(play):
    play.look()


@pytest.mark.highwater(gated_metadata=True)
def test_a_fault_that_needs_the_gate_before_zookeeper(play):
    expired = play.inject(ExpireSession(2))
    assert expired.proof["unknown to"] == [1, 3]
    play.heal(expired)
    play.send(3)


def test_without_a_cluster():
    mine = f"highwater-{os.getpid()}-"
    assert not [line for line in command_lines() if mine in line and "kafka.Kafka" in line]


def command_lines():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_text()
        except OSError:
            pass  # it has just ended
"""


@pytest.fixture(scope="module")
def finished(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    command = ["-m", "pytest", "-p", "no:cacheprovider", "--kafka", "0.10.2.2", "-rs"]
    done = subprocess.run(
        [sys.executable, *command, "--highwater-report", str(folder / "report")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return folder / "report", done


def test_a_violated_claim_fails_the_test_and_says_what_was_lost(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, done = finished

    assert "lost-write: 10 of 11" in done.stdout
    assert "2 failed, 2 passed, 1 skipped" in done.stdout


def test_a_test_without_evidence_is_no_pass(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, done = finished

    assert "no evidence for a claim that must hold" in done.stdout


def test_a_kafka_outside_the_range_is_skipped_with_the_reason(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, done = finished

    assert "for Kafka >=1.0, not 0.10.2.2" in done.stdout


def test_runs_and_report_are_kept_where_they_were_asked_for(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    report, _ = finished

    cells = json.loads((report / "compare.json").read_text())["cells"]
    lossy = next(cell for cell in cells if cell["scenario"].startswith("test_nothing_is_lost"))
    assert lossy["anomalies"]["lost-write"] == 10
    assert (report / "report.html").exists()


def test_an_unknown_kafka_is_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--kafka", "0.10.9"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR or "no Kafka '0.10.9'" in done.stdout
    assert "no Kafka '0.10.9'" in done.stdout + done.stderr
