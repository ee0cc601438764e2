"""What the gate and the brokers say goes into the record while it is heard."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from highwater.harness.gate.headers import FETCH
from highwater.harness.hearing import heard
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord


def fetch(follower: int | None) -> dict[str, Any]:
    """A Fetch that a rule has watched: a follower's, or a consumer's."""
    return {
        "seq": 1,
        "at_ns": time.monotonic_ns(),
        "event": "seen",
        "rule": "rule-1",
        "api": FETCH,
        "stage": "request",
        "leader": 1,
        "follower": follower,
        "client_id": "highwater-reader" if follower is None else "broker-2-fetcher-0",
        "partitions": [{"topic": "orders", "partition": 0, "fetch_offset": 7}],
    }


def test_a_consumer_that_fetches_through_the_gate_is_no_follower(tmp_path: Path) -> None:
    """Before 0.10.2 brokers tell clients the gate's address, as they have no other name."""
    gate, nodes = SimpleNamespace(on_event=None), SimpleNamespace(on_event=None)
    cluster = SimpleNamespace(gate=gate, nodes=nodes, has=frozenset({"links", "nodes"}))
    path = tmp_path / "run"

    with RunRecord(path, {"topic": "orders"}) as record, heard(cast("Any", cluster), record):
        for follower in (None, 2):
            assert gate.on_event is not None
            gate.on_event(fetch(follower))

    fetches = open_run(path).table("fetches").to_pylist()
    assert [(each["follower"], each["fetch_offset"]) for each in fetches] == [(2, 7)]
    told = [each for each in open_run(path).events() if each["kind"] == "gate"]
    assert [each["follower"] for each in told] == [None, 2]
