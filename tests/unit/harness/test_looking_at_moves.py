"""Asking about moves of replicas: what is kept of it, whoever does not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness import looks, move_looks
from highwater.harness.gate.metadata import KnownPartition, Metadata
from highwater.harness.model import TopicPartition
from highwater.harness.move_looks import MoveLooks
from highwater.harness.probes.reassignments import Key, Move
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

ORDERS, BILLS = TopicPartition("orders"), TopicPartition("bills", 2, 3)
MOVING = Move((3,), (2,))

Answer = Callable[[Sequence[TopicPartition]], Mapping[Key, Move]]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[int, Answer]:
    """What is said of moves, by the broker that is asked; each knows of both partitions."""
    found: dict[int, Answer] = {}

    def listed(wire: Wire, wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
        return found[wire._address[1]](wheres)

    def probe(_kafka: object, _wire: Wire) -> Any:
        known = [
            KnownPartition(topic, number, 0, 1, 5, (3, 1, 2), (2, 1))
            for topic, number in (("orders", 0), ("bills", 2))
        ]
        return SimpleNamespace(metadata=lambda *_topics: Metadata((), -1, tuple(known), {}))

    monkeypatch.setattr(move_looks, "moves_under_way", listed)
    monkeypatch.setattr(move_looks, "ReplicaProbe", probe)
    monkeypatch.setattr(looks, "INTERVAL_S", 0.01)
    return found


def cluster(*brokers: int, kafka: str = "4.3.1") -> Any:
    return SimpleNamespace(
        brokers=brokers,
        address=lambda broker: f"127.0.0.1:{broker}",
        kafka=find_kafka(kafka),
    )


def orders_move(_wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
    return {("orders", 0): MOVING}


def nobody(_wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
    raise ConnectionRefusedError


def no_controller(_wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
    raise AnswerError("listing what is on the move", 41)


def rows_of(record: RunRecord) -> list[dict[str, Any]]:
    record.flush()
    if not (record.path / "reassignments").exists():
        return []
    rows = open_run(record.path).table("reassignments").to_pylist()
    return cast("list[dict[str, Any]]", rows)


def await_topic(record: RunRecord, topic: str) -> None:
    wait_until(lambda: topic in {row["topic"] for row in rows_of(record)}, f"a row of {topic}", 10)


def test_what_is_said_is_kept_of_a_move_and_of_none(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    answers |= {1: orders_move, 2: nobody, 3: no_controller}

    with RunRecord(tmp_path, {}) as record, MoveLooks(cluster(1, 2, 3), record) as looks:
        looks.watch(ORDERS)
        looks.watch(ORDERS)
        await_topic(record, "orders")
        looks.watch(BILLS)
        await_topic(record, "bills#3")

    rows = rows_of(record)
    first, other = rows[0], next(row for row in rows if row["topic"] == "bills#3")
    assert first.pop("at_ns") > 0
    assert first == {
        "broker": 1, "topic": "orders", "partition": 0, "leader": 1, "isr": "1,2",
        "replicas": "1,2,3", "adding": "3", "removing": "2",
    }  # fmt: skip
    assert (other["partition"], other["adding"], other["removing"]) == (2, "", "")
    assert {row["broker"] for row in rows} == {1}


def test_what_is_answered_when_it_is_forgotten_may_be_of_another_topic(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    with RunRecord(tmp_path, {}) as record:
        looks = MoveLooks(cluster(1), record)

        def forgetting(_wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
            looks.forget([ORDERS])
            return {("orders", 0): MOVING}

        answers[1] = forgetting
        with looks:
            looks.watch(ORDERS)
            wait_until(lambda: not looks._wheres, "it is forgotten", 10)
            looks.watch(BILLS)
            await_topic(record, "bills#3")

    assert {row["topic"] for row in rows_of(record)} == {"bills#3"}


def test_brokers_that_do_not_hand_the_question_on_are_not_asked(
    tmp_path: Path, answers: dict[int, Answer]
) -> None:
    old = cluster(1, kafka="3.9.1-zk")

    with RunRecord(tmp_path, {}) as record, MoveLooks(old, record) as looks:
        looks.watch(ORDERS)

    assert rows_of(record) == []
    assert answers == {}


def test_an_answer_that_cannot_be_read_is_told(tmp_path: Path, answers: dict[int, Answer]) -> None:
    def garbled(_wheres: Sequence[TopicPartition]) -> Mapping[Key, Move]:
        raise ValueError("bytes")

    answers[1] = garbled
    timeline = tmp_path / "events.jsonl"

    with RunRecord(tmp_path, {}) as record, MoveLooks(cluster(1), record) as looks:
        looks.watch(ORDERS)
        wait_until(lambda: "cannot be read" in timeline.read_text(), "a note of it", 10)

    assert "an answer of broker 1 cannot be read" in timeline.read_text()
