"""The same verdicts, byte for byte, wherever Spark runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.bench.long_records import write_long_record
from tests.checkers.conftest import HIGHWATER, SPARK_HOME, done
from tests.garden import Garden, clean
from tests.planted import PLANTS

from highwater.checkers.judge import WHOLE_ROWS
from highwater.harness.processes.ports import Ports
from highwater.harness.wait import wait_until

pytestmark = pytest.mark.spark

WORKERS = 2
ELSEWHERE = pytest.mark.on_demand(together="tests/checkers/test_masters.py")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run for every anomaly that there is, one without any, and one that is judged in parts."""
    place = tmp_path_factory.mktemp("records")
    for name in PLANTS:
        _planted(name).write(place / name)
    clean(60, 3).write(place / "clean")
    write_long_record(place / "long", WHOLE_ROWS, lost=100_003)
    return place


def _planted(name: str) -> Garden:
    garden = clean(60, 3, seed=7)
    PLANTS[name](garden)
    return garden


def _check(records: Path, place: Path, master: str) -> dict[str, bytes]:
    shutil.copytree(records, place)
    said = done(*HIGHWATER, "check", str(place), "--spark-master", master)
    assert said.returncode == 1, said.stdout + said.stderr
    return _written(place)


def _written(place: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in place.rglob("verdicts.json")}


@pytest.fixture(scope="module")
def expected(records: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    said = _check(records, tmp_path_factory.mktemp("local") / "out", "local[2]")
    assert {name: text.count(b"VIOLATED") for name, text in said.items()} == {
        **{name: len(_planted(name).planted) for name in PLANTS},
        "clean": 0,
        "long": 1,  # what is lost
    }
    return said


def _files() -> set[Path]:
    return set(SPARK_HOME.iterdir())


@ELSEWHERE
def test_executors_of_their_own_say_the_same_and_leave_the_package_alone(
    records: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    before = _files()

    assert _check(records, tmp_path / "out", "local-cluster[2,1,1024]") == expected
    assert _files() == before


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master and two workers, started from the jars that PySpark brings along."""
    place = tmp_path_factory.mktemp("standalone")
    environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    with ExitStack() as stack, Ports() as ports:

        def start(name: str, *words: str) -> Path:
            log = place / f"{name.rpartition('.')[2]}-{len(list(place.glob('*.log')))}.log"
            with log.open("wb") as output:
                process = subprocess.Popen(
                    [str(SPARK_HOME / "bin" / "spark-class"), name, *words],
                    stdout=output,
                    stderr=output,
                    cwd=place,
                    env=environment,
                )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return log

        port, package = ports.free(), "org.apache.spark.deploy"
        at = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(ports.free()))
        master = start(f"{package}.master.Master", *at)
        wait_until(lambda: "I have been elected leader" in master.read_text(), "a master", 60)
        for number in range(WORKERS):
            own = ("--cores", "1", "--memory", "1g", "--work-dir", str(place / f"work-{number}"))
            start(
                f"{package}.worker.Worker", *own, "--host", "127.0.0.1", f"spark://127.0.0.1:{port}"
            )
        wait_until(lambda: master.read_text().count("Registering worker") == WORKERS, "workers", 60)
        yield f"spark://127.0.0.1:{port}"


@ELSEWHERE
def test_a_standalone_cluster_says_the_same(
    records: Path, expected: dict[str, bytes], standalone: str, tmp_path: Path
) -> None:
    assert _check(records, tmp_path / "out", standalone) == expected


@ELSEWHERE
def test_the_job_of_a_spark_submit_says_the_same(
    records: Path, expected: dict[str, bytes], standalone: str, tmp_path: Path
) -> None:
    shutil.copytree(records, tmp_path / "out")
    program = Path(__file__).parents[2] / "src" / "highwater" / "cli.py"
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", standalone]
    sized = ["--executor-memory", "900m", "--conf", "spark.driver.host=127.0.0.1"]
    said = done(*submit, *sized, str(program), "check", str(tmp_path / "out"), "--json")

    assert said.returncode == 1, said.stdout + said.stderr
    assert len(json.loads(said.stdout)) == len(expected)
    assert _written(tmp_path / "out") == expected


def test_what_is_no_master_is_refused_before_anything_starts(tmp_path: Path) -> None:
    said = done(*HIGHWATER, "check", str(tmp_path), "--spark-master", "mars")

    assert said.returncode == 2
    assert "'mars' is none of local[N]" in " ".join(said.stderr.split())
