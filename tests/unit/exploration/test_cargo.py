"""What producers have in their transactions, and what of it is on the record when these end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.cargo import Positions as Cargo
from highwater.exploration.committers import Committer
from highwater.faults.targets import OFFSETS
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.requests import Producing

WHERE = TopicPartition("round-7")
KEPT = ["offset", "outcome", "error", "transaction", "client", "group"]


@pytest.mark.parametrize(("kafka", "version"), [("3.9.1", 0), ("3.9.1-zk", 0), ("4.1.1", 5)])
def test_positions_of_a_transaction_have_its_outcome(
    tmp_path: Path, kafka: str, version: int
) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        play = SimpleNamespace(record=record, cluster=SimpleNamespace(kafka=find_kafka(kafka)))
        group = Committer(cast("Play", play), WHERE, 3)
        cargo = Cargo(cast("Play", play), group, "round-7-3")
        told = [(Outcome.OK, "its end"), (Outcome.FAILED, "aborted"), (Outcome.UNKNOWN, "silence")]
        for transaction, (outcome, why) in enumerate(told, 1):
            _, asked = cargo.next(1, transaction, Producing(7, 0, 0, "round-7-3"))
            assert (asked, cargo.is_open) == (version, True)
            cargo.settle(outcome, why)
            assert not cargo.is_open
        cargo.next(1, 4, Producing(7, 0, 0, "round-7-3"))

    assert (cargo.where, group.confirmed, group.asked) == (OFFSETS, {1}, 4)
    rows = open_run(tmp_path / "run").table("commits").to_pylist()
    ends = [row for row in rows if row["outcome"] != "invoked"]
    assert [row["offset"] for row in rows if row["outcome"] == "invoked"] == [1, 2, 3, 4]
    assert [row["completed_ns"] for row in rows if row["outcome"] == "invoked"] == [None] * 4
    assert [[row[name] for name in KEPT] for row in ends] == [
        [1, "ok", None, 1, "group-3", "round-7-3"],
        [2, "failed", "aborted", 2, "group-3", "round-7-3"],
        [3, "unknown", "silence", 3, "group-3", "round-7-3"],
    ]
    begun = {row["offset"]: row["invoked_ns"] for row in rows if row["outcome"] == "invoked"}
    assert all(row["invoked_ns"] == begun[row["offset"]] for row in ends)
