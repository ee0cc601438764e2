"""Faults that are open: on the list before they are, off it when they have been healed."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.faults.block_link import BlockLink
from highwater.faults.isolate import Isolate
from highwater.faults.kill import Kill
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.together import Together
from highwater.harness.cluster import EVERYTHING, ClusterSpec
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    Interrupted,
    PreconditionError,
    UsageError,
    in_words,
)
from highwater.harness.model import Proof
from highwater.harness.open_faults import OpenFaults
from highwater.harness.versions.catalogue import find_kafka


class Record:
    """Events; from `full` of them on the disk has no room."""

    identity: Mapping[str, Any] = {}

    def __init__(self, full: int = 1000) -> None:
        self.events: list[dict[str, Any]] = []
        self._full = full
        self._times = itertools.count()

    def event(self, kind: str, text: str, **data: Any) -> None:
        if len(self.events) >= self._full:
            raise InfrastructureError("cannot write the record: no space left on device")
        self.events.append({"kind": kind, "text": text, **data})

    def now_ns(self) -> int:
        return next(self._times)

    @property
    def phases(self) -> list[str]:
        return [event["phase"] for event in self.events]


class Bare:
    """A cluster that is asked for nothing but what it is made of."""

    spec = ClusterSpec()
    has = EVERYTHING
    kafka = find_kafka("4.1.1")


class SilentGate:
    """Evidence that can be read once, when the fault opens."""

    def __init__(self) -> None:
        self._asked = 0

    @property
    def proof(self) -> Mapping[str, Any]:
        self._asked += 1
        if self._asked > 1:
            raise DeadlineError("waited 10 s for the gate to answer counters")
        return {}


@dataclass(frozen=True)
class Cut:
    """A fault that says in `healed` when it has been; healing it may fail."""

    name: str
    healed: list[str] = field(compare=False, repr=False)
    evidence: Any = field(default_factory=lambda: Proof({}), repr=False)
    stubborn: bool = False

    @contextmanager
    def inject(self, _cluster: Any) -> Generator[Any]:
        try:
            yield self.evidence
        finally:
            self.healed.append(self.name)
            if self.stubborn:
                raise DeadlineError(f"{self.name} did not come back")


def faults_on(record: Record) -> OpenFaults:
    return OpenFaults(cast("Any", Bare()), cast("Any", record))


def test_faults_are_healed_newest_first() -> None:
    healed: list[str] = []
    faults = faults_on(record := Record())
    for name in ("a", "b", "c"):
        faults.inject(Cut(name, healed))

    faults.heal()
    faults.heal()

    assert healed == ["c", "b", "a"]
    assert record.phases == ["opened"] * 3 + ["closed"] * 3


class Three:
    """A cluster of these nodes, of which nothing else is asked."""

    spec = ClusterSpec()
    has = EVERYTHING
    kafka = find_kafka("4.1.1")
    nodes = SimpleNamespace(numbers=(1, 2, 3, 100))


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Kill(9), r"broker of Kill\(broker=9\) to be one of the nodes \(1, 2, 3, 100\), saw 9"),
        (Kill(0), "saw 0"),
        (Kill(True), "saw True"),
        (Kill("1"), "saw '1'"),  # type: ignore[arg-type]
        (Kill(None), "saw None"),  # type: ignore[arg-type]
        (Isolate(7), "expected broker of Isolate.* saw 7"),
        (BlockLink(follower=1, leader=8), "expected leader of .* saw 8"),
        (PartitionBrokers((1,), (2, 5)), "expected other_side of .* saw 5"),
        (Together((Kill(1), Kill(4))), "expected broker of .* saw 4"),
        (Kill, r"expected a fault, such as Kill\(1\), saw the class Kill itself"),
        (None, "expected a fault, such as .*, saw None"),
        (1, "expected a fault, such as .*, saw 1"),
    ],
)
def test_what_is_no_fault_or_hits_nobody_is_refused_in_a_sentence(fault: Any, why: str) -> None:
    record = Record()
    faults = OpenFaults(cast("Any", Three()), cast("Any", record))

    with pytest.raises(UsageError, match=why):
        faults.inject(fault)

    assert record.events == []


def test_a_leader_that_nobody_is_is_no_mistake_of_the_test() -> None:
    faults = OpenFaults(cast("Any", Three()), cast("Any", Record()))

    with pytest.raises(PreconditionError, match=r"broker of Kill\(broker=-1\) is nobody"):
        faults.inject(Kill(-1))


def test_the_timeline_has_when_a_fault_began_to_be_injected() -> None:
    record = Record()

    class Late(Cut):
        def inject(self, cluster: Any) -> Any:
            self.healed.append(f"injected at {record.now_ns()}")
            return super().inject(cluster)

    faults_on(record).inject(late := Late("a", []))

    assert (record.events[0]["began_ns"], late.healed[0]) == (0, "injected at 1")


def test_a_fault_that_does_not_heal_keeps_no_other_from_it_and_is_told() -> None:
    healed: list[str] = []
    faults = faults_on(record := Record())
    for name, stubborn in (("a", False), ("b", True), ("c", True)):
        faults.inject(Cut(name, healed, stubborn=stubborn))

    with pytest.raises(DeadlineError) as raised:
        faults.heal()

    assert healed == ["c", "b", "a"]
    assert in_words(raised.value) == "c did not come back; besides: b did not come back"
    assert record.phases[3:] == ["unhealed", "unhealed", "closed"]
    assert len(faults.unhealed) == 2


def test_a_fault_whose_evidence_cannot_be_read_is_healed() -> None:
    healed: list[str] = []
    faults = faults_on(record := Record())
    faults.inject(Cut("a", healed, SilentGate()))

    with pytest.raises(DeadlineError, match="the gate to answer counters"):
        faults.heal()

    assert healed == ["a"]
    assert record.phases == ["opened", "closed"]


def test_a_fault_that_cannot_be_recorded_is_healed() -> None:
    healed: list[str] = []
    faults = faults_on(Record(full=0))
    with pytest.raises(InfrastructureError, match="no space left"):
        faults.inject(Cut("a", healed))
    assert healed == []

    with pytest.raises(InfrastructureError, match="no space left"):
        faults.heal()

    assert healed == ["a"]


def test_an_interruption_comes_out_though_healing_fails() -> None:
    @dataclass(frozen=True)
    class Interrupting:
        @contextmanager
        def inject(self, _cluster: Any) -> Generator[Proof]:
            try:
                raise Interrupted
                yield Proof({})
            finally:
                raise DeadlineError("broker 1 did not come back")

    faults = faults_on(record := Record())

    with pytest.raises(Interrupted) as raised:
        faults.inject(Interrupting())

    assert raised.value.__notes__ == ["besides: broker 1 did not come back"]
    assert record.phases == ["failed"]
    assert faults.unhealed


def test_a_fault_that_is_left_out_leaves_a_note() -> None:
    faults = faults_on(record := Record())

    injected: Any = faults.inject(Cut("a", []), left_out="Cut")
    faults.heal()

    assert injected.proof == {"left out": True}
    for wait in (injected.await_standing, injected.await_seen, injected.await_answered):
        assert wait() == {}
    assert [event["kind"] for event in record.events] == ["note"]
