"""A record that lies on no disk but a datanode's, judged by workers that share none."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.checkers.conftest import HIGHWATER, SPARK_HOME, done
from tests.garden import clean
from tests.planted import PLANTS

from highwater import cli
from highwater.checkers import judge as judging
from highwater.checkers.hadoop import place_at
from highwater.harness.jvm.java import find_java
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.ports import Ports
from highwater.harness.processes.warden import Warden
from highwater.harness.record.place import Place
from highwater.harness.record.reader import find_runs
from highwater.harness.record.writer import write_verdicts
from highwater.harness.versions import jars
from highwater.harness.wait import wait_until

pytestmark = [
    pytest.mark.spark,
    pytest.mark.on_demand(together="tests/checkers/test_hdfs.py"),
    pytest.mark.timeout(900),
]

HADOOP = "3.5.0"  # PySpark's, which brings all but the servers
SERVERS = jars.LockedJar(
    "06772d24529e59939915979b3edba204d367750ef7dc5120411f35221dd4818c",
    56_006_450,
    f"org.apache.hadoop:hadoop-client-minicluster:{HADOOP}",
)


def _class_path() -> str:
    assert (SPARK_HOME / "jars" / f"hadoop-client-api-{HADOOP}.jar").exists(), (
        "lock the servers of that"
    )
    if not jars.is_cached(SERVERS):
        jars._download([SERVERS], lambda _name, _bytes: None)
    return f"{jars.cached_path(SERVERS)}:{SPARK_HOME}/jars/*"


class Servers(Lifetime):
    """Processes that listen on this machine only, and end with the test, however that ends."""

    def __init__(self, place: Path, ports: Ports) -> None:
        super().__init__()
        self._place = place
        names = ("rpc", "web", "data", "datanode-rpc", "datanode-web")
        self.at = {name: f"127.0.0.1:{ports.free()}" for name in names}
        settings = {
            "fs.defaultFS": f"hdfs://{self.at['rpc']}",
            "hadoop.tmp.dir": str(place),
            "dfs.namenode.http-address": self.at["web"],
            "dfs.datanode.address": self.at["data"],
            "dfs.datanode.ipc.address": self.at["datanode-rpc"],
            "dfs.datanode.http.address": self.at["datanode-web"],
            "dfs.replication": "1",
        }
        self._options = [f"-D{name}={value}" for name, value in settings.items()]

    def _begin(self) -> None:
        self._warden = self._ending.enter_context(Warden())

    def start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        java = [str(find_java().path), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", _class_path()]
        server = f"org.apache.hadoop.hdfs.server.{name}"
        with (self._place / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*java, server, *self._options, *words],
                stdout=log,
                stderr=log,
                cwd=self._place,
                env=os.environ.copy(),
                process_group=self._warden.group,
            )
        self._ending.callback(process.wait)
        self._ending.callback(process.kill)
        return process

    def live_datanodes(self) -> int:
        beans = "Hadoop:service=NameNode,name=FSNamesystemState"
        with urllib.request.urlopen(f"http://{self.at['web']}/jmx?qry={beans}") as said:
            return int(json.load(said)["beans"][0]["NumLiveDataNodes"])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a namenode that has a datanode."""
    place = tmp_path_factory.mktemp("hdfs")
    with Ports() as ports, Servers(place, ports) as servers:
        assert servers.start("namenode.NameNode", "-format").wait() == 0, f"look at {place}"
        servers.start("namenode.NameNode")
        servers.start("datanode.DataNode")
        wait_until(lambda: servers.live_datanodes() == 1, "a datanode", 120, look=str(place))
        yield servers.at["rpc"]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every anomaly that there is, and a run without any."""
    place = tmp_path_factory.mktemp("records")
    garden = clean(60, 3, seed=7)
    for plant in PLANTS.values():
        plant(garden)
    garden.write(place / "planted")
    clean(60, 3).write(place / "clean")
    return place


@pytest.fixture(scope="module")
def expected(records: Path) -> dict[str, bytes]:
    runs = find_runs(records)
    said = judging.judge(runs)
    for run in runs:
        write_verdicts(run.path, said[run.path])
    return _verdicts(records)


def _verdicts(place: Place) -> dict[str, bytes]:
    return {run.name: (run.path / "verdicts.json").read_bytes() for run in find_runs(place)}


def _put(records: Path, where: str) -> str:
    for path in records.rglob("*"):
        if path.is_file() and path.name != "verdicts.json":
            target = place_at(f"{where}/{path.relative_to(records)}")
            target.write_bytes(path.read_bytes())
    return where


SUBMIT = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]"]
WAYS = {
    "here": [*HIGHWATER, "check"],
    "executors": [*HIGHWATER, "check", "--spark-master", "local-cluster[2,1,1024]"],
    "submitted": [*SUBMIT, str(Path(cli.__file__)), "check"],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_record_that_lies_on_no_disk_of_ours_is_judged_the_same(
    address: str, records: Path, expected: dict[str, bytes], way: str
) -> None:
    where = _put(records, f"hdfs://{address}/judged {way}")

    said = done(*WAYS[way], where)

    assert said.returncode == 1, said.stdout + said.stderr
    assert _verdicts(place_at(where)) == expected


def test_it_is_the_same_in_parts_and_a_second_time(
    address: str,
    records: Path,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judging, "WHOLE_ROWS", 0)
    monkeypatch.setattr(judging, "PART_ROWS", 400)
    place = place_at(_put(records, f"hdfs://{address}/in-parts"))
    runs = find_runs(place)

    for _ in range(2):
        said = judging.judge(runs)
        for run in runs:
            write_verdicts(run.path, said[run.path])

    assert _verdicts(place) == expected
    assert [each.name for run in runs for each in run.path.glob(".*")] == []
