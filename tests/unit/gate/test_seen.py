"""What clients ask and are answered, as the gate tells it: commits, batches and producer ids."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.unit.gate.asking import (
    BEGUN,
    PRODUCED,
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
from tests.unit.gate.conftest import FakeBroker, Peer

from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import (
    INIT_PRODUCER_ID,
    METADATA,
    OFFSET_COMMIT,
    PRODUCE,
    TXN_OFFSET_COMMIT,
    encode_request,
)
from highwater.harness.gate.messages.errors import CODES
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.versions.jars import message_jars

Connect = Callable[[], Peer]


def test_each_batch_is_told_with_who_sent_it_and_where_it_came_to_lie(
    gate: GateProcess, told: Told, client: Client
) -> None:
    records = {2: batch(90, 4, 17, 3), 0: batch(90, 4, 20, 2, flags=0x10)}
    data = [{"Index": each, "Records": records[each]} for each in records]
    offsets = [{"Index": each, "ErrorCode": 0, "BaseOffset": 40 + each} for each in records]
    asked = {"Acks": -1, "TopicData": [{"Name": "orders", "PartitionData": data}]}
    answered = {"Responses": [{"Name": "orders", "PartitionResponses": offsets}]}

    client(answer(PRODUCE, PRODUCED, 1, answered)).ask(request(PRODUCE, PRODUCED, 1, asked))
    gate.rows.give_up()

    assert [table for table, _ in told] == ["batches", "batches"]
    one, other = (row for _, row in told)
    assert one["asked_ns"] <= one["answered_ns"]
    same = {"broker": 3, "client": "me", "topic": "orders", "acks": "all"}
    same |= {"error_code": 0, "producer_id": 90, "epoch": 4}
    assert same.items() <= one.items()
    assert same.items() <= other.items()
    names = ("partition", "base_sequence", "records", "is_transactional", "base_offset")
    assert [one[name] for name in names] == [2, 17, 3, False, 42]
    assert [other[name] for name in names] == [0, 20, 2, True, 40]


def test_of_several_batches_of_one_partition_which_brokers_refuse_the_first_is_told(
    gate: GateProcess, told: Told, client: Client
) -> None:
    error = CODES["INVALID_RECORD"]
    several = produce(1, batch(90, 4, 17, 3), batch(90, 4, 20, 2))

    client(produced(1, error, -1)).ask(several)
    gate.rows.give_up()

    ((_, row),) = told
    assert (row["base_sequence"], row["error_code"], row["base_offset"]) == (17, error, -1)


def test_a_batch_that_nobody_is_to_answer_is_told_at_once(
    gate: GateProcess, told: Told, client: Client, broker: FakeBroker
) -> None:
    client(b"").send(produce(1, batch(-1, -1, -1, 5), acks=0))
    broker.next_frame()
    gate.rows.give_up()

    ((_, row),) = told
    assert (row["acks"], row["answered_ns"], row["error_code"]) == ("0", None, None)
    assert (row["producer_id"], row["records"]) == (-1, 5)


def test_an_old_message_set_does_not_say_who_sent_it(
    gate: GateProcess, told: Told, client: Client
) -> None:
    old = struct.pack(">qiIb", 0, 60, 0, 1) + bytes(60)

    client(produced(1)).ask(produce(1, old))
    gate.rows.give_up()

    ((_, row),) = told
    assert [row[name] for name in ("producer_id", "epoch", "base_sequence", "records")] == [
        None
    ] * 4
    assert row["base_offset"] == 40


def test_a_commit_is_told_with_what_each_of_its_partitions_was_answered(
    gate: GateProcess, told: Told, client: Client
) -> None:
    refused = CODES["ILLEGAL_GENERATION"]

    client(committed(5, {0: 0, 1: refused})).ask(commit(5, {0: 100, 1: 200}))
    gate.rows.give_up()

    assert [table for table, _ in told] == ["commit_requests"] * 2
    seen = [(row["partition"], row["offset"], row["error_code"]) for _, row in told]
    assert seen == [(0, 100, 0), (1, 200, refused)]
    _, row = told[0]
    same = {"group": "billing", "member": "me-1", "generation": 7, "transactional_id": None}
    assert same.items() <= row.items()


def test_a_commit_within_a_transaction_says_of_whose(
    gate: GateProcess, told: Told, client: Client
) -> None:
    api = TXN_OFFSET_COMMIT

    client(committed(5, {0: 0}, api)).ask(commit(5, {0: 100}, api))
    gate.rows.give_up()

    ((_, row),) = told
    assert (row["transactional_id"], row["offset"], row["error_code"]) == ("tx", 100, 0)


def test_a_producer_id_is_told_with_the_one_that_it_follows(
    gate: GateProcess, told: Told, client: Client
) -> None:
    asked = {"TransactionalId": None, "ProducerId": 90, "ProducerEpoch": 4}
    values = {"ErrorCode": 0, "ProducerId": 90, "ProducerEpoch": 5}

    client(answer(INIT_PRODUCER_ID, BEGUN, 1, values)).ask(
        request(INIT_PRODUCER_ID, BEGUN, 1, asked)
    )
    gate.rows.give_up()

    ((table, row),) = told
    assert table == "producer_ids"
    names = ("asked_id", "asked_epoch", "error_code", "producer_id", "epoch")
    assert [row[name] for name in names] == [90, 4, 0, 90, 5]


def test_what_the_client_was_told_is_told_where_the_gate_replaces_an_answer(
    gate: GateProcess, told: Told, client: Client
) -> None:
    gate.describe(message_jars())
    error = CODES["NOT_COORDINATOR"]
    match = Match(stage="response", apis=(OFFSET_COMMIT,))
    gate.add(Rule(match, Action("answer", error=error)))

    client(committed(5, {0: 0})).ask(commit(5, {0: 100}))
    gate.rows.give_up()

    ((_, row),) = told
    assert row["error_code"] == error


@pytest.mark.parametrize("stage", ["request", "response"])
def test_what_never_reached_its_client_has_no_time_of_an_answer(
    gate: GateProcess, told: Told, client: Client, stage: Any
) -> None:
    rule = gate.add(Rule(Match(stage=stage, apis=(OFFSET_COMMIT,)), Action("hold")))
    peer = client(committed(5, {0: 0}))
    peer.send(commit(5, {0: 100}))
    rule.standing()
    rule.drop()
    with suppress(EOFError):
        peer.require_closed()
    gate.rows.give_up()

    ((_, row),) = told
    assert row["answered_ns"] is None
    assert row["error_code"] == (0 if stage == "response" else None)


def test_a_request_that_stood_is_told_once_with_when_it_came(
    gate: GateProcess, told: Told, client: Client
) -> None:
    rule = gate.add(Rule(Match(stage="request", apis=(PRODUCE,)), Action("hold")))
    peer = client(produced(1))
    peer.send(produce(1, batch(90, 4, 0, 1)))
    stood_ns = rule.standing()["at_ns"]
    rule.pass_on()
    peer.receive()
    gate.rows.give_up()

    ((_, row),) = told
    assert row["asked_ns"] <= stood_ns < row["answered_ns"]


def test_other_requests_and_what_comes_when_nobody_asks_pass_untold(
    gate: GateProcess, client: Client
) -> None:
    found: Told = []
    peer = client(produced(1))
    with gate.rows.heard_by(lambda table, row: found.append((table, row))):
        peer.ask(produce(1, batch(90, 4, 0, 1)))
        gate.rows.see(message_jars())
        peer.ask(request(METADATA, 5, 1, {"Topics": []}))
        gate.rows.see([])
        peer.ask(produce(1, batch(90, 4, 1, 1)))

    assert found == []


def test_peers_of_brokers_are_not_recorded(
    gate: GateProcess, told: Told, broker: FakeBroker, connect: Connect
) -> None:
    broker.answer = lambda _frame: produced(1)

    connect().ask(produce(1, batch(90, 4, 0, 1)))
    gate.rows.give_up()

    assert told == []


def test_what_cannot_be_read_passes_and_is_said(
    gate: GateProcess, told: Told, client: Client
) -> None:
    broken = encode_request(PRODUCE, PRODUCED, 1, "me", b"\xff\xff")

    client(produced(1)).ask(broken)
    gate.rows.give_up()

    said = [each["text"] for each in gate.events() if each["event"] == "warning"]
    assert len(said) == 1
    assert said[0].startswith("a request of api 0 passes unseen: ")
    assert told == []
