"""What is told of a request where something comes between it and its answer, or between plays."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.gate.asking import (
    Client,
    Told,
    answer,
    batch,
    commit,
    committed,
    produce,
    produced,
    request,
)
from tests.unit.gate.conftest import PATIENCE_S, FakeBroker, framed

from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import METADATA, OFFSET_COMMIT, PRODUCE
from highwater.harness.gate.messages.errors import CODES
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.hearing import _seeing
from highwater.harness.versions.jars import message_jars

NAMED_BY_ID = 13  # a version of Produce
ID = uuid.UUID(int=7)


def test_requests_with_one_correlation_id_are_answered_in_turn(
    gate: GateProcess, told: Told, client: Client
) -> None:
    peer = client(committed(5, {0: 0}))
    peer.send(commit(5, {0: 100}) + commit(5, {0: 101}))
    for _ in range(2):
        peer.receive()
    gate.rows.give_up()

    assert [(row["offset"], row["error_code"]) for _, row in told] == [(100, 0), (101, 0)]


def test_an_answer_belongs_to_a_topic_whose_name_was_told_meanwhile(
    gate: GateProcess, told: Told, client: Client, broker: FakeBroker
) -> None:
    data = [{"Index": 2, "Records": batch(90, 4, 0, 1)}]
    said = [{"Index": 2, "ErrorCode": 0, "BaseOffset": 40}]
    asked = {"Acks": -1, "TopicData": [{"TopicId": ID, "PartitionData": data}]}
    answered = {"Responses": [{"TopicId": ID, "PartitionResponses": said}]}
    peer = client(b"")
    peer.send(request(PRODUCE, NAMED_BY_ID, 1, asked))
    broker.next_frame()
    gate.topic_id("orders", ID)
    broker.sockets[-1].sendall(answer(PRODUCE, NAMED_BY_ID, 1, answered))
    peer.receive()
    gate.rows.give_up()

    ((_, row),) = told
    assert (row["topic"], row["error_code"], row["base_offset"]) == (str(ID), 0, 40)


def test_what_many_that_nobody_answers_come_behind_is_answered(
    gate: GateProcess, told: Told, client: Client, broker: FakeBroker
) -> None:
    count = 5000
    peer = client(b"")
    peer.send(produce(0, batch(90, 4, 0, 1)))
    for number in range(count):
        peer.send(produce(1 + number, batch(-1, -1, -1, 5), acks=0))
    for _ in range(1 + count):
        broker.next_frame()
    broker.sockets[-1].sendall(produced(0))
    peer.receive()
    gate.rows.give_up()

    (row,) = [row for _, row in told if row["acks"] == "all"]
    assert (row["error_code"], row["answered_ns"] is None) == (0, False)
    assert len(told) == 1 + count


def test_who_has_gone_was_not_answered(gate: GateProcess, told: Told, client: Client) -> None:
    hold = Action("hold", keep_after_close=True)
    rule = gate.add(Rule(Match(stage="request", apis=(OFFSET_COMMIT,)), hold))
    peer = client(committed(5, {0: 0}))
    peer.send(commit(5, {0: 100}))
    rule.standing()
    peer.sock.close()
    gate.wait_event(lambda event: event.get("reason") == "client, kept", "its end", PATIENCE_S)
    rule.pass_on()
    gate.wait_event(lambda event: event.get("reason") == "answered", "the answer", PATIENCE_S)
    gate.rows.give_up()

    ((_, row),) = told
    assert (row["answered_ns"], row["error_code"]) == (None, 0)


def test_what_was_refused_and_stood_since_is_told_as_its_client_hears_it(
    gate: GateProcess, told: Told, client: Client
) -> None:
    gate.describe(message_jars())
    refused, later = CODES["NOT_LEADER_OR_FOLLOWER"], CODES["REQUEST_TIMED_OUT"]
    gate.add(Rule(Match(stage="request", apis=(PRODUCE,)), Action("answer", error=refused)))
    hold = gate.add(Rule(Match(stage="request", apis=(PRODUCE,)), Action("hold")))
    peer = client(framed(bytes((0, 0, 0, 3)) + bytes(10)))
    peer.send(produce(3, batch(90, 4, 0, 1)))
    hold.standing()
    answers = Match(stage="response", apis=(PRODUCE,), topic="orders", partition=2)
    rule = gate.add(Rule(answers, Action("answer", error=later)))
    hold.pass_on()
    peer.receive()
    gate.rows.give_up()

    assert (rule.counters()["answered"], rule.counters()["unreadable"]) == (1, 0)
    ((_, row),) = told
    assert row["error_code"] == later


def test_who_is_told_nothing_else_than_its_broker_said_is_not_misled(
    gate: GateProcess, client: Client
) -> None:
    gate.describe(message_jars())
    rule = gate.add(Rule(Match(stage="response", apis=(METADATA,)), Action("answer", leader=9)))
    partitions = [{"PartitionIndex": 0, "LeaderId": 1, "ReplicaNodes": [1, 2]}]
    said = answer(METADATA, 5, 1, {"Topics": [{"Name": "orders", "Partitions": partitions}]})

    assert client(said).ask(request(METADATA, 5, 1, {"Topics": []})) == said
    assert (rule.counters()["matched"], rule.counters()["answered"]) == (1, 0)


def test_too_long_a_request_is_said_once(gate: GateProcess, told: Told, client: Client) -> None:
    peer = client(produced(1))
    for longer in range(2):
        peer.ask(produce(1, batch(90, 4, 0, 1) + bytes((16 << 20) + longer)))
    gate.rows.give_up()

    said = [each["text"] for each in gate.events() if each["event"] == "warning"]
    assert said == ["a request of api 0 passes unseen: it has more than 16 MiB"]
    assert told == []


def test_what_a_play_has_left_is_not_told_to_the_next(
    gate: GateProcess, told: Told, client: Client, broker: FakeBroker
) -> None:
    client(b"").send(commit(5, {0: 100}))
    broker.next_frame()
    gate.rows.see(message_jars())
    gate.rows.give_up()

    assert told == []


@pytest.mark.parametrize("error", [None, KeyboardInterrupt()], ids=["to its end", "broken off"])
def test_what_a_play_has_seen_is_on_its_record(
    gate: GateProcess, client: Client, broker: FakeBroker, error: BaseException | None
) -> None:
    kept: list[tuple[str, Any]] = []
    record: Any = SimpleNamespace(
        origin_ns=0, row=lambda table, row: kept.append((table, row)), name_of=lambda name, _: name
    )
    peer = client(committed(4, {0: 0}))
    with suppress(KeyboardInterrupt), _seeing(gate.rows, record):
        peer.ask(commit(4, {0: 99}))
        broker.next_frame()
        broker.answer = lambda _frame: b""
        peer.send(commit(5, {0: 100}))
        broker.next_frame()
        if error is not None:
            raise error

    seen = [(row["offset"], row["answered_ns"] is None) for _, row in kept]
    assert seen == [(99, False), (100, True)]


def test_traffic_goes_on_while_descriptions_are_read(
    gate: GateProcess, client: Client, tmp_path: Path
) -> None:
    """Brokers' own passes the gate too, and to read the jars takes a quarter of a second."""
    jar = tmp_path / "kafka-clients.jar"
    os.mkfifo(jar)  # whoever opens it waits until somebody writes
    peer = client(produced(1))
    with ThreadPoolExecutor() as pool:
        seeing = pool.submit(gate.rows.see, [jar])
        try:
            for sequence in range(200):
                peer.ask(produce(1, batch(90, 4, sequence, 1)))
            assert not seeing.done()
        finally:
            jar.open("wb").close()
        with pytest.raises(InfrastructureError, match="the gate refused see"):
            seeing.result()

    assert peer.ask(produce(1, batch(90, 4, 1, 1))) == produced(1)
