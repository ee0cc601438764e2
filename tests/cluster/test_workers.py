"""pytest-xdist with real clusters: one of its own for each worker, as far as there is room."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from highwater.harness.leases import sweep
from highwater.harness.wait import wait_until

SUITE = """
import os
from pathlib import Path

import pytest

with Path("workers.txt").open("a") as told:
    told.write(f"{os.getpid()}\\n")


@pytest.mark.parametrize("number", range(3))
def test_records_are_kept(partition, number):
    partition.require_acked(partition.send(3))


def test_more_than_was_sent_is_expected(partition):
    assert partition.send(3).acked == 4
"""


@dataclass(frozen=True)
class Finished:
    folder: Path
    said: str
    most: int  # clusters at once
    workers: frozenset[int]
    controller: int


Played = Callable[[int], Finished]


def _with_brokers(workers: frozenset[int]) -> set[int]:
    """Which of these processes have brokers, by the directories that their commands name."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text(errors="replace")
        except OSError:  # it has just ended
            continue
        named = re.search(r"highwater-(\d+)-", words)
        if named and "kafka.Kafka" in words:
            found.add(int(named[1]))
    return found & workers


@pytest.fixture
def played(tmp_path: Path) -> Played:
    def play(clusters: int) -> Finished:
        (tmp_path / "test_four.py").write_text(SUITE, encoding="utf-8")
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "-v"]
        words += ["--highwater-clusters", str(clusters), "--highwater-report", "report"]
        told, most = tmp_path / "workers.txt", [0]

        def workers() -> frozenset[int]:
            lines = told.read_text().split() if told.exists() else []
            return frozenset(map(int, lines))

        with (
            (tmp_path / "said.txt").open("wb") as said,
            subprocess.Popen(words, cwd=tmp_path, stdout=said, stderr=said) as running,
        ):

            def has_ended() -> bool:
                most[0] = max(most[0], len(_with_brokers(workers())))
                return running.poll() is not None

            wait_until(has_ended, "the end of pytest", 300.0, look=str(tmp_path / "said.txt"))
        text = (tmp_path / "said.txt").read_text()
        return Finished(tmp_path, text, most[0], workers(), running.pid)

    return play


def _is_as_one_report(finished: Finished) -> None:
    report = finished.folder / "report"
    suite = json.loads((report / "suite.json").read_text())
    assert suite["outcomes"] == {"failed": 1, "passed": 3}, finished.said
    assert {each["worker"] for each in suite["tests"]} == {"gw0", "gw1"}
    runs = {each["run"] for each in suite["tests"]}
    assert len(runs) == 4
    assert all((report / run / "verdicts.json").exists() for run in runs)
    assert "4 tests on Kafka 4.1.1: 1 failed, 3 passed." in (report / "report.html").read_text()


def _left_nothing(finished: Finished) -> None:
    assert not _with_brokers(finished.workers)
    sweep()  # what Spark's own process held to its end
    place = Path(tempfile.gettempdir())
    assert not [path for each in finished.workers for path in place.glob(f"highwater-{each}-*")]
    assert not list(place.glob(f"highwater-{finished.controller}-*"))


@pytest.mark.on_demand
def test_each_worker_has_a_cluster_and_there_is_one_report(played: Played) -> None:
    finished = played(2)

    _is_as_one_report(finished)
    assert finished.most == 2
    assert "the others wait" not in finished.said
    _left_nothing(finished)


@pytest.mark.on_demand
def test_where_there_is_room_for_one_cluster_workers_wait_and_say_so(played: Played) -> None:
    finished = played(1)

    _is_as_one_report(finished)
    assert finished.most == 1
    assert "2 workers, and 1 at once may have a cluster" in finished.said
    assert re.search(r"\d tests? waited \d+\.\d s in all for one of 1 places", finished.said)
    _left_nothing(finished)
