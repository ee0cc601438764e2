"""Rules at work in a real gate: frames that stand, pass, are dropped, or wait."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.gate.conftest import (
    PATIENCE_S,
    RECORDS,
    FakeBroker,
    Peer,
    answer_with_records,
    echo,
    fetch,
    fetch_answer,
)

from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.headers import encode_request
from highwater.harness.gate.rules import Action, Match, Rule, Trigger, link_blocked
from highwater.harness.wait import wait_until

Connect = Callable[[], Peer]
REQUEST = Match(stage="request")
RESPONSE = Match(stage="response")
EPOCHS = encode_request(23, 0, 9, "broker-2-fetcher-0", bytes(4))


def test_a_request_stands_until_it_is_passed_on(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    hold = gate.add(Rule(REQUEST))
    peer = connect()

    peer.send(fetch())
    event = hold.standing()

    assert broker.received.empty()
    assert (event["follower"], event["leader"], event["api"]) == (2, 1, 1)
    assert event["partitions"] == [{"topic": "t", "partition": 0, "fetch_offset": 5}]
    assert hold.counters()["standing"] == 1
    assert hold.pass_on() == 1
    assert peer.receive() == echo(fetch())
    assert peer.ask(fetch(offset=6)) == echo(fetch(offset=6))
    counters = hold.counters()
    assert (counters["held"], counters["passed"], counters["standing"]) == (1, 1, 0)


def test_an_answer_stands_while_its_request_has_passed(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    broker.answer = answer_with_records
    hold = gate.add(Rule(Match(stage="response", topic="t", fetch_offset=5)))
    peer = connect()

    peer.send(fetch())
    event = hold.standing()

    assert broker.next_frame() == fetch()
    assert peer.has_silence()
    (seen,) = event["partitions"]
    assert (seen["fetch_offset"], seen["high_watermark"]) == (5, 7)
    assert seen["record_bytes"] == len(RECORDS)
    hold.pass_on()
    assert peer.receive() == fetch_answer(1, RECORDS)


def test_a_dropped_answer_is_never_delivered_and_its_connection_ends(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    hold = gate.add(Rule(RESPONSE))
    peer = connect()
    peer.send(fetch())
    hold.standing()

    assert hold.drop() == 1

    peer.require_closed()
    assert "EOF" in broker.closed.get(timeout=PATIENCE_S)
    counters = hold.counters()
    assert (counters["dropped"], counters["passed"]) == (1, 0)
    assert connect().ask(fetch()) == echo(fetch())


def test_a_rule_with_standing_frames_cannot_be_removed_in_silence(
    connect: Connect, gate: GateProcess
) -> None:
    hold = gate.add(Rule(REQUEST))
    connect().send(fetch())
    hold.standing()

    with pytest.raises(InfrastructureError, match="say pass or drop"):
        hold.remove()


def test_a_removed_rule_holds_nothing_more(connect: Connect, gate: GateProcess) -> None:
    hold = gate.add(Rule(REQUEST))

    hold.remove()

    assert connect().ask(fetch()) == echo(fetch())
    assert hold.counters()["matched"] == 0


def test_the_answer_with_records_passes_and_the_next_one_stands(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    broker.answer = answer_with_records
    records = Match(stage="response", topic="t", with_records=True)
    hold = gate.add(Rule(RESPONSE, after=records))
    peer, other = connect(), connect()

    first = peer.ask(fetch(correlation_id=1))
    peer.send(fetch(correlation_id=2))
    event = hold.standing(follower=2)
    on_another_link = other.ask(fetch(3))

    assert (first, on_another_link) == (fetch_answer(1, RECORDS), fetch_answer(1, RECORDS))
    assert event["correlation_id"] == 2
    assert hold.wait("armed", follower=3)["seq"] > event["seq"]


@pytest.mark.parametrize(
    ("trigger", "delivered"),
    [(Trigger("once"), 1), (Trigger("times", 2), 2), (Trigger("nth", 3), 3)],
)
def test_a_trigger_drops_its_frames_only(
    connect: Connect, gate: GateProcess, trigger: Trigger, delivered: int
) -> None:
    rule = gate.add(Rule(REQUEST, Action("drop"), trigger))
    last_dropped = delivered
    first_dropped = last_dropped if trigger.kind == "nth" else 1

    for n in range(1, 5):
        peer = connect()
        if first_dropped <= n <= last_dropped:
            peer.send(fetch())
            peer.require_closed()
        else:
            assert peer.ask(fetch()) == echo(fetch())

    assert rule.counters()["matched"] == 4
    assert rule.counters()["dropped"] == last_dropped - first_dropped + 1


def test_a_blocked_link_passes_no_api_and_leaves_other_followers_alone(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    block = gate.add(link_blocked(follower=2, leader=1))
    fetcher, epochs, other = connect(), connect(), connect()

    fetcher.send(fetch(2))
    epochs.send(EPOCHS)
    answer = other.ask(fetch(3))

    assert answer == echo(fetch(3))
    gate.wait_event(
        lambda event: event["event"] == "standing" and event["api"] == 23,
        "a standing OffsetsForLeaderEpoch",
        PATIENCE_S,
    )
    assert broker.next_frame() == fetch(3)
    assert block.drop() == 2
    assert broker.received.empty()


def test_a_follower_without_a_telling_client_id_is_known_by_its_first_fetch(
    connect: Connect, gate: GateProcess
) -> None:
    hold = gate.add(Rule(Match(follower=2, apis=(23,))))
    as_replica = fetch(2, version=2).replace(b"broker-2-fetcher-0", b"ReplicaFetcher-0-1")
    epochs = EPOCHS.replace(b"broker-2-fetcher-0", b"ReplicaFetcher-0-1")
    peer = connect()

    peer.ask(as_replica)
    peer.send(epochs)

    assert hold.standing()["follower"] == 2


@pytest.mark.parametrize("stage", ["request", "response"])
def test_the_brokers_end_is_forwarded_while_a_frame_stands(
    connect: Connect, gate: GateProcess, broker: FakeBroker, stage: Any
) -> None:
    hold = gate.add(Rule(Match(stage=stage)))
    peer = connect()
    peer.send(fetch())
    hold.standing()

    (at_broker,) = wait_until(lambda: broker.sockets, "the connection to the broker")
    at_broker.shutdown(socket.SHUT_RDWR)

    peer.require_closed()
    assert hold.counters()["dropped"] == 1
    assert hold.pass_on() == 0


@pytest.mark.parametrize("stage", ["request", "response"])
def test_the_clients_end_is_forwarded_while_a_frame_stands(
    connect: Connect, gate: GateProcess, broker: FakeBroker, stage: Any
) -> None:
    hold = gate.add(Rule(Match(stage=stage)))
    peer = connect()
    peer.send(fetch())
    hold.standing()

    peer.sock.close()
    assert "EOF" in broker.closed.get(timeout=PATIENCE_S)
    hold.wait("dropped", PATIENCE_S)
    with pytest.raises(DeadlineError, match=r"standing.*'dropped': 1"):
        hold.standing(0.0)


def test_a_kept_request_outlives_its_client_until_it_is_answered(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    hold = gate.add(Rule(REQUEST, Action("hold", keep_after_close=True)))
    peer = connect()
    peer.send(fetch())
    hold.standing()

    peer.sock.close()
    gate.wait_event(lambda event: event.get("reason") == "client, kept", "its end", PATIENCE_S)
    before = broker.received.empty()
    assert hold.pass_on() == 1

    assert before
    assert broker.next_frame() == fetch()
    gate.wait_event(lambda event: event.get("reason") == "answered", "the answer", PATIENCE_S)
    assert "EOF" in broker.closed.get(timeout=PATIENCE_S)


def test_a_cut_ends_both_sides(connect: Connect, gate: GateProcess, broker: FakeBroker) -> None:
    cut = gate.add(Rule(REQUEST, Action("cut")))
    peer = connect()

    peer.send(fetch())

    peer.require_closed()
    assert broker.closed.get(timeout=PATIENCE_S)
    assert broker.received.empty()
    assert cut.counters()["cut"] == 1


@pytest.mark.parametrize(
    "action", [Action("delay", delay_ms=30), Action("limit", bytes_per_s=10_000)]
)
def test_a_slowed_frame_comes_late_and_unchanged(
    connect: Connect, gate: GateProcess, action: Action
) -> None:
    slow = gate.add(Rule(REQUEST, action))
    peer = connect()

    peer.send(fetch(correlation_id=1) + fetch(correlation_id=2))
    answers = [peer.receive(), peer.receive()]

    assert answers == [echo(fetch(correlation_id=1)), echo(fetch(correlation_id=2))]
    first, second = (event for event in slow.events() if event["event"] == "delayed")
    assert second["at_ns"] - first["at_ns"] >= first["wait_s"] * 1e9 * 0.9
    assert slow.counters()["delayed"] == 2


def test_a_watched_frame_is_reported_once_it_has_passed(
    connect: Connect, gate: GateProcess
) -> None:
    watch = gate.add(Rule(Match(apis=(23,), stage="request"), Action("watch")))

    answer = connect().ask(EPOCHS)

    assert answer == echo(EPOCHS)
    assert watch.seen()["correlation_id"] == 9
    assert watch.counters()["passed"] == 1


def test_a_topic_id_is_matched_by_name_once_the_gate_knows_it(
    connect: Connect, gate: GateProcess
) -> None:
    topic_id = uuid.UUID(int=7)
    hold = gate.add(Rule(Match(stage="request", topic="t")))
    request = FetchRequest(2, (FetchedPartition(None, topic_id, 0, 5),))
    body = encode_fetch_request(request, 13)
    by_id = encode_request(1, 13, 1, "broker-2-fetcher-0", body)
    peer = connect()

    peer.ask(by_id)
    gate.topic_id("t", topic_id)
    peer.send(by_id)

    assert hold.standing()["partitions"][0]["topic"] == "t"
    assert hold.counters()["unreadable"] == 1
