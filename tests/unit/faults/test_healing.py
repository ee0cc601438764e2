"""Every fault of the catalogue heals: after an error inside, and after half of its injection."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_client import Lively
from tests.fake_cluster import FakeCluster
from tests.unit.probes.conftest import build_batch

from highwater.faults import jump_clock
from highwater.faults.aimed import Aimed
from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.block_link import BlockLink
from highwater.faults.cut_tail import CutTail
from highwater.faults.delay_link import DelayLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.flip_bit import FlipBit
from highwater.faults.full_disk import FullDisk
from highwater.faults.half_close import HalfClose
from highwater.faults.half_close_client import HalfCloseClient
from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.hold_produce import HoldProduce
from highwater.faults.hold_requests import HoldRequests
from highwater.faults.in_sequence import InSequence
from highwater.faults.isolate import Isolate
from highwater.faults.jump_clock import JumpClock
from highwater.faults.kill import Kill
from highwater.faults.kill_client import KillClient
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.kill_unnoticed import KillUnnoticed
from highwater.faults.late_marker import LateMarker
from highwater.faults.late_marker_answers import LateMarkerAnswers
from highwater.faults.limit_cpu import LimitCpu
from highwater.faults.limit_link import LimitLink
from highwater.faults.mislead import Mislead
from highwater.faults.partition_bridge import PartitionBridge
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.partition_one_way import PartitionOneWay
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.faults.partition_ring import PartitionRing
from highwater.faults.pause import Pause
from highwater.faults.pause_client import PauseClient
from highwater.faults.pause_metadata import PauseMetadata
from highwater.faults.power_loss import PowerLoss
from highwater.faults.read_only_directory import ReadOnlyDirectory
from highwater.faults.repeat import Repeat
from highwater.faults.reset_link import ResetLink
from highwater.faults.rewrite_checkpoint import RewriteCheckpoint
from highwater.faults.stall_answers import StallAnswers
from highwater.faults.stall_asked import StallAsked
from highwater.faults.stop import Stop
from highwater.faults.targets import Leader
from highwater.faults.tear_batch import TearBatch
from highwater.faults.together import Together
from highwater.faults.watch_epochs import WatchEpochs
from highwater.faults.watch_fetches import WatchFetches
from highwater.faults.watch_isr_change import WatchIsrChange
from highwater.faults.watch_orders import WatchOrders
from highwater.faults.watch_produce import WatchProduce
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.cluster import FILES, LINKS, NODES, Fault
from highwater.harness.errors import InfrastructureError, Interrupted, PreconditionError
from highwater.harness.fitting import _faults_in
from highwater.harness.model import TopicPartition
from highwater.harness.open_faults import OpenFaults
from highwater.listing import fault_rows

WHERE = TopicPartition("orders")
DEAD = 4

FAULTS: list[Fault[Any]] = [
    Aimed(Leader(WHERE), Kill),
    AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER"),
    BlockLink(2, 1),
    CutTail(DEAD, WHERE, 1),
    DelayLink(2, 1),
    DelayRequests(1, 2),
    Disconnect(2),
    ExpireSession(2),
    FlipBit(DEAD, WHERE, 0),
    FullDisk(2, WHERE),
    HalfClose(2, 1),
    HalfCloseClient("producer-1"),
    HoldAcknowledgements("producer-1"),
    HoldAnswers(1, 2),
    HoldAsked("OffsetCommit", "member-1"),
    HoldDecisions(2),
    HoldIsrChange(1),
    HoldMarkers(1, 2),
    HoldOrders(2, 100),
    HoldProduce("producer-1"),
    HoldRequests(1, 2, WHERE),
    InSequence((Stop(2), Kill(3))),
    Isolate(2),
    JumpClock(2, 0),
    Kill(2),
    KillClient(Lively()),
    KillMetadata(),
    KillUnnoticed(2),
    LateMarker(1, 2),
    LateMarkerAnswers(1, 2),
    LimitCpu(2),
    LimitLink(2, 1),
    Mislead("producer-1", 2),
    PartitionBridge((1,), 2, (3,)),
    PartitionBrokers((1, 2), (3,)),
    PartitionOneWay((1,), (2, 3)),
    PartitionQuorum(101),
    PartitionRing((1, 2, 3, 4)),
    Pause(2),
    PauseClient(Lively()),
    PauseMetadata(),
    PowerLoss(2, WHERE, 1),
    ReadOnlyDirectory(2, WHERE),
    Repeat(Kill(2), 2),
    ResetLink(2, 1),
    RewriteCheckpoint(DEAD, "meta.properties"),
    StallAnswers(1, 2),
    StallAsked("Produce", "producer-1"),
    Stop(2),
    TearBatch(DEAD, WHERE, 0),
    Together((Pause(2), BlockLink(3, 1), Kill(1))),
    WatchEpochs(2),
    WatchFetches(WHERE),
    WatchIsrChange(1),
    WatchOrders(2),
    WatchProduce("producer-1"),
    WipeReplica(DEAD, WHERE),
]
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
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as running:
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
    needs = [getattr(each, "needs", ()) for each in _faults_in(fault)]
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
