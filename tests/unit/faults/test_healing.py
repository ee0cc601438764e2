"""Every fault of the catalogue heals: after an error inside, and after half of its injection."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster
from tests.unit.faults.every_fault import FAULTS, WHERE
from tests.unit.probes.conftest import build_batch

from highwater.faults import jump_clock
from highwater.faults.read_only_directory import ReadOnlyDirectory
from highwater.harness.cluster import FILES, LINKS, NODES, Fault
from highwater.harness.errors import InfrastructureError, Interrupted, PreconditionError
from highwater.harness.fitting import faults_in
from highwater.harness.log_dirs import second_log_dir
from highwater.harness.open_faults import OpenFaults
from highwater.listing import fault_rows

EACH = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)


class Record:
    """The events, in their order."""

    identity: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def now_ns(self) -> int:
        return 0

    def event(self, kind: str, text: str, **data: Any) -> None:
        self.events.append({"kind": kind, "text": text, **data})


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[bytes]]:
    """Its thread has the name of the file."""
    named = tmp_path_factory.mktemp("process") / "ReplicaFetcherThread"
    named.symlink_to(shutil.which("sleep") or "")
    with subprocess.Popen([named, "600"]) as running:
        yield running
        running.kill()


@pytest.fixture
def make_cluster(
    tmp_path: Path, process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> Any:
    # A clock that is set needs seconds to be read again, and here nobody reads it.
    monkeypatch.setattr(
        jump_clock, "set_clock", lambda clock, shift_s: clock.write_text(f"{shift_s:+g}")
    )
    numbers = iter(range(1000))

    def make() -> FakeCluster:
        cluster = FakeCluster(tmp_path / str(next(numbers)))
        for broker in cluster.brokers:
            cluster.nodes.clock(broker).write_text("+0")
            cluster.nodes[broker].pid = process.pid
            replica = cluster.files.log_dir(broker) / str(WHERE)
            replica.mkdir()
            (cluster.files.log_dir(broker) / "meta.properties").touch()
            second = second_log_dir(cluster.files.log_dir(broker))
            second.mkdir(exist_ok=True)
            (second / "meta.properties").write_text("version=1\ncluster.id=c\nnode.id=4\n")
            batches = [build_batch([(None, b"v")], base_offset=offset) for offset in range(3)]
            (replica / f"{0:020d}.log").write_bytes(b"".join(batches))
        return cluster

    return make


@pytest.fixture(autouse=True)
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program says that may not make a file."""

    def refusal(_fault: ReadOnlyDirectory, cluster: FakeCluster, path: str) -> str:
        cluster.nodes[2].run(["touch", path])
        return "touch: Permission denied"

    monkeypatch.setattr(ReadOnlyDirectory, "_refusal", refusal)


def damage_stays(before: Any, after: Any) -> bool:
    """Whether a cluster is what it was, but for files that a fault is there to damage."""
    gone = before["modes"].keys() - after["modes"].keys()
    return {**before, "modes": {}} == {**after, "modes": {}} and all(
        after["modes"][path] == mode for path, mode in before["modes"].items() if path not in gone
    )


def test_every_fault_of_the_catalogue_is_here() -> None:
    assert [type(fault).__name__ for fault in FAULTS] == [row["name"] for row in fault_rows()]


@EACH
def test_a_fault_heals_when_the_play_ends(make_cluster: Any, fault: Fault[Any]) -> None:
    cluster, record = make_cluster(), Record()
    before = cluster.state()
    faults = OpenFaults(cluster, record)  # type: ignore[arg-type]

    faults.inject(fault)
    faults.heal()

    assert damage_stays(before, cluster.state())
    assert [event["phase"] for event in record.events] == ["opened", "closed"]


@EACH
def test_a_fault_heals_after_an_error_inside_it(make_cluster: Any, fault: Fault[Any]) -> None:
    cluster = make_cluster()
    before = cluster.state()

    with pytest.raises(PreconditionError, match="not so"), fault.inject(cluster):
        raise PreconditionError("not so")

    assert damage_stays(before, cluster.state())


def _steps(cluster: FakeCluster, fault: Fault[Any]) -> int:
    """How many steps its injection takes."""
    with fault.inject(cast("Any", cluster)):
        return cluster.steps.taken


@pytest.mark.parametrize("error", [InfrastructureError("it failed"), Interrupted()])
@pytest.mark.parametrize("after_effect", [False, True])
@EACH
def test_half_of_a_fault_heals_and_what_broke_it_comes_out(
    make_cluster: Any, fault: Fault[Any], error: BaseException, after_effect: bool
) -> None:
    for failing in range(1, _steps(make_cluster(), fault) + 1):
        cluster, record = make_cluster(), Record()
        before = cluster.state()
        faults = OpenFaults(cluster, record)  # type: ignore[arg-type]
        steps = cluster.steps
        steps.failing, steps.after_effect, steps.error = failing, after_effect, error

        with pytest.raises(type(error)) as raised:
            faults.inject(fault)
        faults.heal()

        assert raised.value is error
        assert damage_stays(before, cluster.state()), f"after step {failing}"
        assert [event["phase"] for event in record.events] == ["failed"]


class Endpoint:
    """What every cluster has, and the capabilities that are lent; remembers which were used."""

    CAPABILITY_OF: Mapping[str, str] = {"nodes": NODES, "gate": LINKS, "files": FILES}
    OF_EVERY_ONE = frozenset({"spec", "kafka", "brokers", "bootstrap", "metadata", "probe"})

    def __init__(self, cluster: FakeCluster, lent: set[str]) -> None:
        self._cluster = cluster
        self._lent = lent
        self.used: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        capability = self.CAPABILITY_OF.get(name)
        assert capability in self._lent or name in self.OF_EVERY_ONE, name
        self.used |= {capability} if capability else set()
        return getattr(self._cluster, name)


def _needs(fault: Fault[Any]) -> set[str]:
    """The capabilities that it asks for, and whatever it consists of."""
    needs = [getattr(each, "needs", ()) for each in faults_in(fault)]
    named = {one for each in needs for one in ((each,) if isinstance(each, str) else each)}
    return named & {*Endpoint.CAPABILITY_OF.values()}


@EACH
def test_a_fault_asks_for_the_capabilities_that_it_uses(
    make_cluster: Any, fault: Fault[Any]
) -> None:
    bare = Endpoint(make_cluster(), _needs(fault))

    with fault.inject(cast("Any", bare)):
        pass

    assert bare.used == _needs(fault)
