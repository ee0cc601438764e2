"""The pytest plugin as its users meet it: red where a claim is violated, with the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest

SUITE = """
import os
from pathlib import Path

import pytest
from highwater.faults.expire_session import ExpireSession
from highwater.scenarios.kip101_loss_no_crash import kip101_loss_no_crash


@pytest.mark.highwater(kafka="<0.11")
def test_nothing_is_lost_by_two_elections(play, partition):
    kip101_loss_no_crash.play(play, partition)


@pytest.mark.highwater(kafka=">=1.0")
def test_for_newer_ones(play):
    raise AssertionError("must be skipped")


@pytest.mark.highwater(replicas=2)
def test_nothing_was_sent(play, partition):
    partition.look()


@pytest.mark.highwater(gated_metadata=True)
def test_a_fault_that_needs_the_gate_before_zookeeper(play, partition):
    expired = play.inject(ExpireSession(2))
    assert expired.proof["unknown to"] == [1, 3]
    play.heal(expired)
    partition.send(3)


def test_a_fault_without_its_marker(play):
    play.inject(ExpireSession(2))


def test_leaves_off_in_its_body(play):
    pytest.skip("no second rack")


@pytest.fixture
def late(play):
    raise OSError("no such disk")


def test_with_a_fixture_that_breaks_after_the_topic_was_made(late):
    pass


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
    assert "3 failed, 2 passed, 2 skipped, 1 error" in done.stdout


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

    tests = json.loads((report / "suite.json").read_text())["tests"]
    lossy = next(each for each in tests if "::test_nothing_is_lost_by" in each["test"])
    lost = next(each for each in lossy["violated"] if each["claim"] == "lost-write")
    assert lost["anomalies"] == 10
    assert lost["likely"] == ""  # every election was a clean one
    assert (report / lossy["run"] / "verdicts.json").exists()
    assert (report / "report.html").exists()


def test_a_fault_that_the_marker_does_not_allow_is_refused_at_its_injection(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    report, done = finished

    tests = json.loads((report / "suite.json").read_text())["tests"]
    refused = next(each for each in tests if "::test_a_fault_without_its_marker" in each["test"])
    assert refused["outcome"] == "failed"
    assert "ExpireSession needs a cluster with gated_metadata=True" in refused["reason"]
    assert "at test_suite.py:" in refused["text"]
    assert "harness/open_faults.py" not in done.stdout  # no traceback


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("test_leaves_off_in_its_body", "skipped", "no second rack"),
        ("test_with_a_fixture_that_breaks_after", "error", "OSError: no such disk"),
    ],
)
def test_what_was_played_of_a_test_that_did_not_come_to_its_end_is_on_record(
    finished: tuple[Path, subprocess.CompletedProcess[str]], name: str, outcome: str, reason: str
) -> None:
    report, _ = finished

    tests = json.loads((report / "suite.json").read_text())["tests"]
    begun = next(each for each in tests if f"::{name}" in each["test"])
    assert (begun["outcome"], begun["reason"]) == (outcome, reason)
    played = json.loads((report / begun["run"] / "run.json").read_text())["played"]
    assert not played["complete"]


TWO = """
def test_one_record_is_kept(play, partition):
    partition.send(1)


def test_no_records_would_be_enough(play, partition):
    partition.send(1)
    assert partition.look().ends() == {}, "none would be"
"""


def test_records_of_what_passed_stay_without_a_report_if_wanted(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TWO, encoding="utf-8")

    done = run_pytest(tmp_path, "--kafka", "0.10.2.2", "--highwater-keep")

    (folder,) = tmp_path.glob("highwater-runs/pytest-*")
    assert len([*folder.glob("runs/*/verdicts.json")]) == 2
    assert f"highwater: records are kept in {folder}" in done.stdout


def test_the_record_of_what_failed_stays_where_nobody_asked_for_a_report(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TWO, encoding="utf-8")

    done = run_pytest(tmp_path, "--kafka", "0.10.2.2")

    assert "1 failed, 1 passed" in done.stdout
    (kept,) = tmp_path.glob("highwater-runs/pytest-*/runs/*")
    assert f"the record: {kept}" in done.stdout
    assert (kept / "verdicts.json").exists()
