"""A fault that its cluster cannot have is refused at the injection, before anything happens."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.hold_orders import HoldOrders
from highwater.harness.cluster import EVERYTHING, ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.open_faults import OpenFaults
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ExpireSession(1), "gated_metadata=True"),
        (Disconnect(1), "works on docker"),
        (HoldOrders(2, 100), "4.1.1 is none: A controller tells each broker who leads"),
    ],
)
def test_an_injection_that_cannot_be_touches_nothing(tmp_path: Path, fault: Any, said: str) -> None:
    # It has nothing that a fault could touch.
    bare: Any = SimpleNamespace(spec=ClusterSpec(), has=EVERYTHING, kafka=find_kafka("4.1.1"))
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        faults = OpenFaults(bare, record)

        with pytest.raises(UsageError, match=said):
            faults.inject(fault)
        faults.heal()

    assert open_run(tmp_path / "run").events() == []


def test_a_fault_that_is_left_out_needs_nothing(tmp_path: Path) -> None:
    bare: Any = SimpleNamespace(spec=ClusterSpec(), has=EVERYTHING, kafka=None)
    with RunRecord(tmp_path / "run", {"backend": "process"}) as record:
        left_out = OpenFaults(bare, record).inject(ExpireSession(1), left_out="ExpireSession")

    assert left_out.proof == {"left out": True}
