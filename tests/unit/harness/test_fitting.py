"""A fault that its cluster cannot have is refused at the injection, before anything happens."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_orders import HoldOrders
from highwater.harness.cluster import EVERYTHING, ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.open_faults import OpenFaults
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka


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
    ("upgraded_to", "is_refused"),
    [((), True), (("2.6.3", "2.6.3"), True), (("2.6.3", "2.8.2"), False)],
)
def test_a_fault_is_asked_of_what_its_nodes_have_become(
    tmp_path: Path, upgraded_to: tuple[str, ...], is_refused: bool
) -> None:
    bare: Any = bare_cluster("2.6.3", *upgraded_to)
    bare.spec = ClusterSpec(gated_metadata=True)
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        faults, fault = OpenFaults(bare, record), HoldIsrChange(leader=9)

        with pytest.raises(UsageError) as raised:
            faults.inject(fault)

    refused = "2.6.3 is none" in str(raised.value)
    assert refused == is_refused
    assert refused or "to be one of the nodes" in str(raised.value)


def test_a_fault_that_is_left_out_needs_nothing(tmp_path: Path) -> None:
    bare: Any = SimpleNamespace(spec=ClusterSpec(), has=EVERYTHING, kafka=None)
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        left_out = OpenFaults(bare, record).inject(ExpireSession(1), left_out="ExpireSession")

    assert left_out.proof == {"left out": True}
