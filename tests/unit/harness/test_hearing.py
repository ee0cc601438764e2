"""What the gate and the brokers say goes into the record while it is heard."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.headers import FETCH
from highwater.harness.gate.rows import Rows
from highwater.harness.gate.traffic import COLUMNS
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
    gate = SimpleNamespace(on_event=None, rows=Rows(lambda *_: None))
    nodes = SimpleNamespace(on_event=None)
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


def test_what_clients_ask_is_on_the_record_in_its_time_and_by_its_names(tmp_path: Path) -> None:
    asked: list[str] = []
    rows = Rows(lambda command, **_more: asked.append(command))
    rows.is_between = True
    gate = SimpleNamespace(on_event=None, rows=rows)
    cluster = SimpleNamespace(gate=gate, has=frozenset({"links"}))
    path = tmp_path / "run"

    with RunRecord(path, {"topic": "orders"}) as record:
        record.names("orders", "orders#2")
        now_ns = time.monotonic_ns()
        with heard(cast("Any", cluster), record):
            told = {"asked_ns": now_ns, "answered_ns": now_ns + 5, "client": "load", "broker": 1}
            told |= {"topic": "orders", "partition": 0, "producer_id": 7, "epoch": 1, "acks": "all"}
            rows.hear({"batches": [[told.get(name) for name in COLUMNS["batches"]]]})
            ids = {"asked_ns": now_ns, "broker": 1}
            rows.hear({"producer_ids": [[ids.get(name) for name in COLUMNS["producer_ids"]]]})
        rows.hear({"batches": [[told.get(name) for name in COLUMNS["batches"]]]})
        origin_ns = record.origin_ns

    (batch,) = open_run(path).table("batches").to_pylist()
    assert (batch["topic"], batch["asked_ns"]) == ("orders#2", now_ns - origin_ns)
    assert batch["answered_ns"] - batch["asked_ns"] == 5
    (given,) = open_run(path).table("producer_ids").to_pylist()
    assert given["answered_ns"] is None
    assert asked == ["see", "see"]


def test_what_the_gate_warns_of_is_on_the_timeline(tmp_path: Path) -> None:
    gate = SimpleNamespace(on_event=None, rows=Rows(lambda *_: None))
    cluster = SimpleNamespace(gate=gate, has=frozenset({"links"}))
    path = tmp_path / "run"

    with RunRecord(path, {"topic": "orders"}) as record, heard(cast("Any", cluster), record):
        assert gate.on_event is not None
        gate.on_event({"event": "warning", "at_ns": time.monotonic_ns(), "text": "unseen"})

    assert [(each["kind"], each["text"]) for each in open_run(path).events()] == [
        ("note", "unseen")
    ]


def test_a_gate_that_has_died_does_not_hide_what_else_went_wrong(tmp_path: Path) -> None:
    def ask(*_command: object, **_more: object) -> None:
        raise InfrastructureError("the gate died")

    rows = Rows(ask)
    rows.is_between = True
    gate = SimpleNamespace(on_event=None, rows=rows)
    cluster = SimpleNamespace(gate=gate, has=frozenset({"links"}))
    path = tmp_path / "run"

    with RunRecord(path, {"topic": "orders"}) as record, heard(cast("Any", cluster), record):
        pass

    told = [each["text"] for each in open_run(path).events()]
    assert told == ["what clients ask is not recorded: the gate died"] * 2
