"""Asking coordinators about transactions: what is kept of it, whoever does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness import looks, transaction_looks
from highwater.harness.probes.transactions import Described, Identity
from highwater.harness.probes.wire import Wire
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.transaction_looks import TransactionLooks
from highwater.harness.wait import wait_until

PREPARED = Described("PrepareCommit", Identity(7, 3), 1000)

Answer = Callable[[Sequence[str]], Mapping[str, Described]]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[int, Answer]:
    """What brokers say, by their numbers."""
    found: dict[int, Answer] = {}

    def describe(wire: Wire, names: Sequence[str]) -> Mapping[str, Described]:
        return found[wire._address[1]](names)

    monkeypatch.setattr(transaction_looks, "describe_transactions", describe)
    monkeypatch.setattr(looks, "INTERVAL_S", 0.01)
    monkeypatch.setattr(transaction_looks, "LAST_S", 0.1)
    return found


def cluster(*brokers: int, describes: bool = True) -> Any:
    return SimpleNamespace(
        coordinators=brokers,
        address=lambda broker: f"127.0.0.1:{broker}",
        kafka=SimpleNamespace(describes_transactions=describes),
    )


def rows_of(run: Path) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", open_run(run).table("transaction_states").to_pylist())


def all_named(names: Sequence[str]) -> Mapping[str, Described]:
    return dict.fromkeys(names, PREPARED)


def nobody(_names: Sequence[str]) -> Mapping[str, Described]:
    raise ConnectionRefusedError


def test_what_a_coordinator_says_is_kept_and_who_does_not_answer_gives_no_row(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    answers |= {1: all_named, 2: nobody, 3: lambda _names: {}}

    with RunRecord(tmp_path, {}) as record, TransactionLooks(cluster(1, 2, 3), record) as looks:
        looks.watch("orders")
        looks.watch("orders")
        _await_rows(record, 2)
        looks.watch("bills")
        wait_until(lambda: "bills" in _names(record), "a row of the other one", 10)

    first = rows_of(tmp_path)[0]
    assert first.pop("at_ns") > 0
    assert first == {
        "transactional_id": "orders", "coordinator": 1, "state": "PrepareCommit",
        "producer_id": 7, "epoch": 3, "began_ms": 1000,
    }  # fmt: skip
    assert {row["coordinator"] for row in rows_of(tmp_path)} == {1}


def test_a_broker_that_does_not_answer_is_asked_once_and_holds_up_nobody(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    asked, may_answer = list[int](), threading.Event()

    def slow(_names: Sequence[str]) -> Mapping[str, Described]:
        asked.append(2)
        may_answer.wait(60)
        return {}

    answers |= {1: all_named, 2: slow}
    with RunRecord(tmp_path, {}) as record:
        with TransactionLooks(cluster(1, 2), record) as looks:
            looks.watch("orders")
            _await_rows(record, 3)
        may_answer.set()

    assert asked == [2]


def test_what_was_decided_is_looked_at_until_it_is_complete(
    tmp_path: Path, answers: dict[int, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A play that ends within a second of the completion would tell nobody of it."""
    monkeypatch.setattr(transaction_looks, "LAST_S", 10)
    is_over = threading.Event()

    def completing(names: Sequence[str]) -> Mapping[str, Described]:
        state = "CompleteCommit" if is_over.is_set() else "PrepareCommit"
        return dict.fromkeys(names, PREPARED._replace(state=state))

    answers[1] = completing
    with RunRecord(tmp_path, {}) as record, TransactionLooks(cluster(1), record) as looks:
        looks.watch("orders")
        _await_rows(record, 1)
        looks._stop.set()
        looks._asked.ask({1: lambda: None}, 10)  # what was asked before has been answered
        is_over.set()

    assert [row["state"] for row in rows_of(tmp_path)][-1] == "CompleteCommit"


def test_of_whom_no_coordinator_has_said_anything_somebody_is_asked_in_the_end(
    tmp_path: Path, answers: dict[int, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its coordinator may have changed at each look of a play that was over soon."""
    monkeypatch.setattr(transaction_looks, "LAST_S", 10)
    moves, asked = threading.Event(), threading.Event()

    def moving(names: Sequence[str]) -> Mapping[str, Described]:
        asked.set()
        return {} if moves.is_set() else all_named(names)

    answers[1] = moving
    moves.set()
    with RunRecord(tmp_path, {}) as record, TransactionLooks(cluster(1), record) as looks:
        looks.watch("orders")
        assert asked.wait(10)
        looks._stop.set()
        looks._asked.ask({1: lambda: None}, 10)  # what was asked before has been answered
        monkeypatch.setattr(transaction_looks, "DECIDED", ())
        moves.clear()

    assert [row["transactional_id"] for row in rows_of(tmp_path)] == ["orders"]


def test_where_nobody_can_be_asked_nobody_is_waited_for(
    tmp_path: Path, answers: dict[int, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As before 3.0: each play with a transaction would end later."""
    monkeypatch.setattr(TransactionLooks, "_glance", lambda _looks: pytest.fail("it looks"))

    with (
        RunRecord(tmp_path, {}) as record,
        TransactionLooks(cluster(1, describes=False), record) as looks,
    ):
        looks._stop.set()
        looks.watch("orders")
        assert not looks._awaits()


def test_what_stays_decided_is_not_waited_for_for_long(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    answers[1] = all_named

    with RunRecord(tmp_path, {}) as record, TransactionLooks(cluster(1), record) as looks:
        looks.watch("orders")
        _await_rows(record, 1)

    assert {row["state"] for row in rows_of(tmp_path)} == {"PrepareCommit"}


def test_brokers_that_know_no_such_question_are_not_asked(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    with (
        RunRecord(tmp_path, {}) as record,
        TransactionLooks(cluster(1, describes=False), record) as looks,
    ):
        looks.watch("orders")

    assert (tmp_path / "transaction_states").exists() is False
    assert answers == {}


def test_an_answer_that_cannot_be_read_is_told(tmp_path: Path, answers: dict[int, Answer]) -> None:
    def garbled(_names: Sequence[str]) -> Mapping[str, Described]:
        raise ValueError("bytes")

    answers[1] = garbled

    with RunRecord(tmp_path, {}) as record, TransactionLooks(cluster(1), record) as looks:
        looks.watch("orders")
        timeline = tmp_path / "events.jsonl"
        wait_until(lambda: "cannot be read" in timeline.read_text(), "a note of it", 10)

    assert "an answer of broker 1 cannot be read" in timeline.read_text()


def _await_rows(record: RunRecord, count: int) -> None:
    wait_until(lambda: len(_names(record)) >= count, f"{count} rows", 10)


def _names(record: RunRecord) -> list[str]:
    record.flush()
    if not (record.path / "transaction_states").exists():
        return []
    return [row["transactional_id"] for row in rows_of(record.path)]
