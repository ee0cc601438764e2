"""A report directory that cannot be written is refused before any test runs, and left as it was."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest

CHAOS = """
import pytest


@pytest.mark.highwater
class TestOfChaos:
    def test_that_runs(self):
        open("ran", "w").close()
"""
BROKEN = "import no_such_module\n"


def assert_refused(done: subprocess.CompletedProcess[str], said: str) -> None:
    everything = done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, everything
    assert said in done.stderr
    assert "Traceback (most recent call last)" not in everything
    assert "INTERNALERROR" not in everything
    assert "the report is" not in everything


@pytest.mark.parametrize(
    ("directory", "suite"),
    [
        ("kept.txt", CHAOS),
        ("kept.txt", BROKEN),
        ("kept.txt/report", CHAOS),
        ("/proc/highwater/report", CHAOS),
        ("long" * 100, CHAOS),
        ("nowhere", CHAOS),
    ],
    ids=["file", "file, though nothing is collected", "below one", "proc", "long name", "link"],
)
def test_a_directory_that_cannot_be_made_is_refused(
    tmp_path: Path, directory: str, suite: str
) -> None:
    (tmp_path / "test_it.py").write_text(suite)
    (tmp_path / "kept.txt").write_text("mine")
    (tmp_path / "nowhere").symlink_to("is/not/there")

    done = run_pytest(tmp_path, "--highwater-report", directory)

    assert_refused(done, f"--highwater-report: expected a directory to write to, saw {directory}: ")
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "kept.txt").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it likes")
def test_a_directory_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CHAOS)
    (tmp_path / "closed").mkdir(mode=0o500)

    done = run_pytest(tmp_path, "--highwater-report", "closed")

    assert_refused(done, "saw closed: Permission denied")


def test_results_are_kept_though_a_file_beside_the_tests_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CHAOS)
    (tmp_path / "test_broken.py").write_text(BROKEN)
    (tmp_path / "report").mkdir()
    for name in ("suite.json", "report.html"):
        (tmp_path / "report" / name).write_text("mine")

    done = run_pytest(tmp_path, "--highwater-report", "report")

    assert_refused(done, "report already holds results (suite.json)")
    for name in ("suite.json", "report.html"):
        assert (tmp_path / "report" / name).read_text() == "mine"


def test_nothing_is_left_of_looking_whether_it_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CHAOS)
    (tmp_path / "empty").mkdir()

    for directory in ("new/report", "empty"):
        done = run_pytest(tmp_path, "--collect-only", "--highwater-report", directory)
        assert done.returncode == 0, done.stdout + done.stderr

    assert not (tmp_path / "new").exists()
    assert list((tmp_path / "empty").iterdir()) == []


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CHAOS)
    (tmp_path / "empty").mkdir()

    done = run_pytest(tmp_path, "--highwater-report", "empty")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "highwater: the report is empty/report.html" in done.stdout
    assert (tmp_path / "empty" / "report.html").exists()
