"""WatchProduce: to whom a producer sends is seen, and it is sent all the same."""

from __future__ import annotations

from tests.unit.gate.conftest import FakeBroker
from tests.unit.gate.test_late_produce import Connect, cluster_with, produce

from highwater.faults.watch_produce import WatchProduce
from highwater.harness.gate.client import GateProcess
from highwater.scenarios.acts.requests import Sending, sendings


def test_what_one_producer_sends_is_seen_and_passes(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    with WatchProduce("watched").inject(cluster_with(gate)) as watched:
        connect().ask(produce("another"))
        connect().ask(produce("watched"))
        watched.await_seen()
        seen = sendings(watched)

    assert [broker.next_frame(), broker.next_frame()] == [produce("another"), produce("watched")]
    assert seen == [Sending(seen[0].broker, len(produce("watched")))]
    assert watched.proof["matched"] == 1
