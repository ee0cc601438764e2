"""Spark comes up quietly, ignores Ctrl-C, and is gone when the harness is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from py4j.protocol import Py4JError

from highwater.checkers.session import session, spark_errors_in_words
from highwater.harness.errors import InfrastructureError
from highwater.harness.wait import wait_until

START_AND_STAY = """
import signal
from highwater.checkers.session import session, spark_errors_in_words
from highwater.harness.errors import InfrastructureError
spark = session()
assert spark.parallelize(range(3)).sum() == 3
print(spark._gateway.proc.pid, flush=True)
signal.pause()
"""
DESCRIBE = """
import sys
from highwater.checkers.catalogue import claims
print(*(claim.name for claim in claims()), sep="\\n")
assert all(claim.title and claim.definition and claim.about and claim.needs for claim in claims())
assert "pyspark" not in sys.modules
"""

TELL = """
import sys
from highwater.checkers.session import spark_errors_in_words
with spark_errors_in_words():
    assert "pyspark" not in sys.modules
"""


def _runs(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return (
        status.exists() and status.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    )


def test_describing_the_claims_does_not_import_spark() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", DESCRIBE], capture_output=True, text=True, check=True
    )

    assert set(answer.stdout.split()) >= {
        "committed-truncation", "corrupt-value", "duplicate", "inconsistent-offsets",
        "lost-write", "nonmonotonic-send", "phantom-read", "replica-divergence",
    }  # fmt: skip


def test_who_waits_for_spark_does_not_import_it_beside_the_thread_that_starts_it() -> None:
    subprocess.run([sys.executable, "-c", TELL], check=True)


@pytest.mark.spark
def test_ctrl_c_does_not_reach_sparks_jvm() -> None:
    spark = session()

    os.kill(spark._gateway.proc.pid, signal.SIGINT)  # type: ignore[union-attr]

    assert spark.parallelize(range(3)).sum() == 3


@pytest.mark.spark
def test_workers_are_forked_with_everything_loaded_and_look_through_no_archive() -> None:
    def told(_number: int) -> tuple[list[str], bool]:
        archives = [place for place in sys.path_importer_cache if place.endswith((".zip", ".jar"))]
        daemon = Path(f"/proc/{os.getppid()}/maps").read_text(encoding="utf-8")
        return [place for place in archives if "pyspark" in place], "libarrow" in daemon

    assert session().parallelize([0], 1).map(told).collect() == [([], True)]


@pytest.mark.spark
def test_spark_says_nothing_and_leaves_nothing_of_a_killed_harness(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START_AND_STAY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as harness:
        assert harness.stdout is not None
        assert harness.stderr is not None
        jvm = int(harness.stdout.readline())
        ran = _runs(jvm)

        harness.kill()

        wait_until(lambda: not _runs(jvm), timeout_s=30, what="Spark's JVM to end")
        assert ran
        assert list(tmp_path.iterdir()) == []
        assert harness.stderr.read() == b""


INTERRUPT = """
import sys, threading, time
from pathlib import Path
from highwater.checkers.session import start_session, stop_session
from highwater.harness.errors import Interrupted
from highwater.harness.patience import interrupt
from highwater.harness.wait import wait_until

def children():
    tasks = Path("/proc/self/task").iterdir()
    return [pid for task in tasks for pid in (task / "children").read_text().split()]

started = start_session()
wait_until(children, "Spark's JVM", 60)
if sys.argv[1] != "starting":
    spark = started.result()
if sys.argv[1] == "judging":
    job = lambda: spark.parallelize([1]).foreach(lambda _: time.sleep(600))
    threading.Thread(target=job, daemon=True).start()
    wait_until(lambda: spark.statusTracker().getActiveJobsIds(), "a job", 60)
print(*children(), flush=True)
try:
    interrupt()
except Interrupted:
    stop_session()
"""


@pytest.mark.spark
@pytest.mark.parametrize("when", ["starting", "started", "judging"])
def test_an_interruption_kills_sparks_jvm_whatever_it_does(when: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT, when],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )

    jvms = [int(pid) for pid in done.stdout.split()]
    assert jvms
    assert not [pid for pid in jvms if _runs(pid)]
    assert "Exception occurred" not in done.stderr
    assert list(tmp_path.glob("highwater-*")) == []


TWICE = """
from highwater.checkers.session import session, stop_session
for _ in range(2):
    assert session().parallelize(range(3)).sum() == 3
    stop_session()
"""


@pytest.mark.spark
def test_spark_that_was_stopped_is_started_anew_and_leaves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TWICE],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.glob("highwater-*")) == []


def test_what_spark_says_when_it_is_gone_is_told_in_a_sentence() -> None:
    said = (
        "An error occurred\n: java.lang.IllegalStateException: a stopped SparkContext\n\tat x.java"
    )

    with (
        pytest.raises(InfrastructureError, match=r"said: java.*Context; is that master"),
        spark_errors_in_words(),
    ):
        raise Py4JError(said)


START_AND_END = """
from highwater.checkers.session import session
assert session().parallelize(range(3)).sum() == 3
"""


def test_it_starts_where_directories_have_blanks_in_their_names(tmp_path: Path) -> None:
    place = tmp_path / 'a "blank", ü:x'
    place.mkdir()

    subprocess.run(  # what comes behind the comma is another directory to Spark, of this one
        [sys.executable, "-c", START_AND_END],
        env={**os.environ, "TMPDIR": str(place)},
        cwd=tmp_path,
        check=True,
    )

    assert [each for each in place.iterdir() if "spark" in each.name] == []
