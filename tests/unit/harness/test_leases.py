"""Directories of the living stay, those of the dead are swept, whatever their numbers are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from highwater.harness.leases import Lease, sweep

KEEP = "from highwater.harness.leases import Lease; import time; x = Lease().__enter__(); "
SAY = "print(x.directory, flush=True); time.sleep(600)"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of the test's own, for its children as well."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    """Another harness, which has a directory."""
    with subprocess.Popen(
        [sys.executable, "-c", KEEP + SAY], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    ) as process:
        yield process
        process.kill()


def directory_of(process: subprocess.Popen[str]) -> Path:
    assert process.stdout is not None
    return Path(process.stdout.readline().strip())


def test_a_directory_is_there_while_it_is_in_use_and_gone_afterwards(place: Path) -> None:
    with Lease("spark-") as lease:
        assert lease.directory.is_dir()
        assert lease.directory.name.startswith(f"highwater-{os.getpid()}-spark-")
        assert sweep() == []

    assert list(place.iterdir()) == []


def test_what_a_living_process_uses_is_not_swept_though_its_number_is_nobodys_here(
    other: subprocess.Popen[str],
) -> None:
    directory = directory_of(other)
    elsewhere = directory.rename(directory.with_name(f"highwater-{2**22 + 1}-x"))

    assert sweep() == []

    assert elsewhere.is_dir()


def test_what_a_dead_process_has_left_is_swept_though_its_number_is_somebodys(
    other: subprocess.Popen[str],
) -> None:
    directory = directory_of(other)
    left = directory.rename(directory.with_name(f"highwater-{os.getpid()}-x"))
    (left / "cluster-1").mkdir()
    os.kill(other.pid, signal.SIGKILL)
    other.wait()

    assert sweep() == [left]

    assert not left.exists()


def test_a_directory_that_is_none_of_ours_is_left_alone(place: Path) -> None:
    (place / "highwater-1-notes").mkdir()

    assert sweep() == []
