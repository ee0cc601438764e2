"""A fault that its cluster cannot have is refused at the injection, before anything happens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_orders import HoldOrders
from highwater.harness.cluster import EVERYTHING, ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.open_faults import OpenFaults
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka


@dataclass(frozen=True)
class Anywhere:
    """A fault of no node in particular."""

    on_kafka: ClassVar = "leaders_ask_for_the_isr"

    def inject(self, cluster: Any) -> Any:
        raise AttributeError


@dataclass(frozen=True)
class Both:
    """Of several faults at once."""

    faults: tuple[Any, ...]

    def inject(self, cluster: Any) -> Any:
        raise AttributeError


def bare_cluster(kafka: str, *upgraded_to: str) -> SimpleNamespace:
    """Of one node, or of those that run these already: it has nothing that a fault could touch."""
    runs = [find_kafka(each) for each in upgraded_to or (kafka,)]
    nodes = SimpleNamespace(numbers=range(len(runs)), runs=runs.__getitem__)
    return SimpleNamespace(spec=ClusterSpec(), has=EVERYTHING, kafka=find_kafka(kafka), nodes=nodes)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ExpireSession(1), "gated_metadata=True"),
        (Disconnect(1), "works on docker"),
        (HoldOrders(2, 100), "4.1.1 is none: A controller tells each broker who leads"),
    ],
)
def test_an_injection_that_cannot_be_touches_nothing(tmp_path: Path, fault: Any, said: str) -> None:
    bare: Any = bare_cluster("4.1.1")
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        faults = OpenFaults(bare, record)

        with pytest.raises(UsageError, match=said):
            faults.inject(fault)
        faults.heal()

    assert open_run(tmp_path / "run").events() == []


@pytest.mark.parametrize(
    ("begun_as", "upgraded_to", "fault", "refused"),
    [
        ("2.6.3", (), HoldIsrChange(leader=0), "2.6.3 is none"),
        ("2.6.3", ("2.6.3", "2.8.2"), HoldIsrChange(leader=0), "2.6.3 is none"),
        ("2.6.3", ("2.6.3", "2.8.2"), HoldIsrChange(leader=1), ""),
        ("2.6.3", ("2.6.3", "2.8.2"), Both((HoldIsrChange(leader=1),)), ""),
        ("2.6.3", ("2.6.3", "2.8.2"), Anywhere(), ""),
        ("2.6.3", ("2.6.2", "2.6.2"), Anywhere(), "2.6.2 is none"),
        ("3.9.1-zk", ("3.9.1", "3.9.1"), HoldOrders(1, 0), "3.9.1 is none"),
        ("3.9.1-zk", ("3.9.1-zk", "3.9.1"), HoldOrders(1, 0), ""),
        ("3.9.1-zk", ("3.9.1-zk", "3.9.1"), Both((HoldOrders(0, 0), HoldHeartbeats(1))), ""),
        ("3.9.1-zk", ("3.9.1-zk", "3.9.1"), Both((HoldHeartbeats(0),)), "3.9.1-zk is none"),
    ],
)
def test_each_part_of_a_fault_is_asked_of_what_its_own_nodes_have_become(
    tmp_path: Path, begun_as: str, upgraded_to: tuple[str, ...], fault: Any, refused: str
) -> None:
    bare: Any = bare_cluster(begun_as, *upgraded_to)
    bare.spec = ClusterSpec(gated_metadata=True)
    with (
        RunRecord(tmp_path / "run", {"backend": "process"}) as record,
        pytest.raises((UsageError, AttributeError)) as raised,
    ):
        OpenFaults(bare, record).inject(fault)

    # Where it is let in it finds that there is nothing that it could touch.
    assert isinstance(raised.value, UsageError) == bool(refused)
    assert refused in str(raised.value)


def test_of_a_cluster_whose_nodes_nobody_can_touch_its_own_kafka_is_asked(tmp_path: Path) -> None:
    bare: Any = bare_cluster("2.6.3", "2.8.2")
    bare.has = frozenset()
    with (
        RunRecord(tmp_path / "run", {"backend": "process"}) as record,
        pytest.raises(UsageError, match=r"2\.6\.3 is none"),
    ):
        OpenFaults(bare, record).inject(Anywhere())


def test_a_fault_that_is_left_out_needs_nothing(tmp_path: Path) -> None:
    bare: Any = SimpleNamespace(spec=ClusterSpec(), has=EVERYTHING, kafka=None)
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        left_out = OpenFaults(bare, record).inject(ExpireSession(1), left_out="ExpireSession")

    assert left_out.proof == {"left out": True}
