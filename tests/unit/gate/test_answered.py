"""AnswerRequests: who asks hears of an error, in order, and the broker knows of it or does not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.gate.conftest import FakeBroker, Peer, framed

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.hold_produce import HoldProduce
from highwater.harness.clients import commits
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.foreign import outcomes
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.headers import API_VERSIONS, HEARTBEAT, PRODUCE, encode_request
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.errors import CODES, KNOWN
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import Reader
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.model import TopicPartition
from highwater.harness.versions.jars import message_jars
from highwater.harness.workloads import producer, requests
from highwater.harness.workloads.handed import ABORTED

Connect = Callable[[], Peer]
SCHEMAS = Schemas(message_jars())
VERSION = 8


def produce(number: int, *, acks: int = -1, partition: int = 0) -> bytes:
    values = {
        "Acks": acks,
        "TimeoutMs": 1000,
        "TopicData": [
            {"Name": "orders", "PartitionData": [{"Index": partition, "Records": b"a record"}]}
        ],
    }
    body = codec.write(SCHEMAS.request(PRODUCE, VERSION), VERSION, values)
    return encode_request(PRODUCE, VERSION, number, "me", body)


def told(answer: bytes) -> tuple[int, int, int]:
    """The number of the request that is answered, the partition, and the error."""
    values = codec.read(SCHEMAS.response(PRODUCE, VERSION), VERSION, Reader(answer, 8, False))
    (topic,) = values["Responses"]
    (partition,) = topic["PartitionResponses"]
    assert topic["Name"] == "orders"
    assert partition["BaseOffset"] == partition["LogStartOffset"] == -1
    return int.from_bytes(answer[4:8], "big"), partition["Index"], partition["ErrorCode"]


def cluster_with(gate: GateProcess) -> Any:
    return cast("Any", SimpleNamespace(gate=gate))


def test_a_request_is_refused_in_its_place_and_its_broker_never_sees_it(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()
    second = AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", often=Trigger("nth", 2))

    with second.inject(cluster_with(gate)) as refused:
        for number in (1, 2, 3):
            peer.send(produce(number))
        answers = [peer.receive() for _ in range(3)]
        proof = refused.proof

    assert [int.from_bytes(each[4:8], "big") for each in answers] == [1, 2, 3]
    assert told(answers[1]) == (2, 0, CODES["NOT_LEADER_OR_FOLLOWER"])
    assert answers[0] == framed(produce(1)[8:])  # the broker's own
    seen = [broker.next_frame() for _ in range(3)]
    asked_instead = encode_request(API_VERSIONS, 0, 2, "me", b"")
    assert seen == [produce(1), asked_instead, produce(3)]
    assert (proof["matched"], proof["answered"]) == (3, 1)


def test_what_stood_when_somebody_came_to_refuse_it_is_refused_before_those_behind_it(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()
    first = AnswerRequests(
        "Produce",
        "NOT_ENOUGH_REPLICAS",
        where=TopicPartition("orders", 0),
        often=Trigger("once"),
    )
    later = ExitStack()
    with HoldProduce("me", Trigger("once")).inject(cluster_with(gate)) as standing:
        for number in (1, 2):
            peer.send(produce(number))
        standing.await_standing()
        refused = later.enter_context(first.inject(cluster_with(gate)))

    answers = [peer.receive() for _ in range(2)]
    proof = refused.proof
    later.close()

    assert told(answers[0]) == (1, 0, CODES["NOT_ENOUGH_REPLICAS"])
    assert answers[1] == framed(produce(2)[8:])
    assert (proof["answered"], proof["unreadable"]) == (1, 0)


def test_with_done_the_broker_gets_it_and_its_client_hears_of_an_error(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()
    late = AnswerRequests("Produce", "REQUEST_TIMED_OUT", client="me", done=True)

    with late.inject(cluster_with(gate)) as answered:
        answer = peer.ask(produce(1))
        proof = answered.proof

    assert told(answer) == (1, 0, CODES["REQUEST_TIMED_OUT"])
    assert broker.next_frame() == produce(1)
    assert proof["answered"] == 1
    assert peer.ask(produce(2)) == framed(produce(2)[8:])


def test_other_clients_and_partitions_are_let_be(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()
    of_one = AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", where=TopicPartition("orders", 1))
    of_another = AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER", client="somebody else")

    with (
        of_one.inject(cluster_with(gate)) as aimed,
        of_another.inject(cluster_with(gate)) as foreign,
    ):
        passed, refused = peer.ask(produce(1)), peer.ask(produce(2, partition=1))
        proofs = aimed.proof, foreign.proof

    assert passed == framed(produce(1)[8:])
    assert told(refused) == (2, 1, CODES["NOT_LEADER_OR_FOLLOWER"])
    assert broker.next_frame() == produce(1)
    assert [each["matched"] for each in proofs] == [1, 0]


def test_who_waits_for_no_answer_loses_the_connection(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()

    with AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER").inject(cluster_with(gate)):
        peer.send(produce(1, acks=0))
        peer.require_closed()

    assert broker.received.empty()


def test_a_version_that_nobody_describes_passes_and_is_counted(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    peer = connect()
    strange = encode_request(PRODUCE, 99, 1, "me", b"who knows")

    with AnswerRequests("Produce", "NOT_LEADER_OR_FOLLOWER").inject(cluster_with(gate)) as aimed:
        peer.ask(strange)
        proof = aimed.proof

    assert broker.next_frame() == strange
    assert (proof["answered"], proof["unreadable"]) == (0, 1)


def test_the_same_seed_means_the_same_requests(
    connect: Connect, gate: GateProcess, broker: FakeBroker
) -> None:
    by_chance = AnswerRequests(
        "Produce", "NOT_LEADER_OR_FOLLOWER", often=Trigger("chance", chance=0.5, seed=7)
    )
    heard = []
    for _ in range(2):
        with by_chance.inject(cluster_with(gate)):
            peer = connect()
            answers = [peer.ask(produce(number)) for number in range(20)]
            heard.append([each == framed(produce(n)[8:]) for n, each in enumerate(answers)])

    assert heard[0] == heard[1]
    assert {True, False} == set(heard[0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Prodce", "REQUEST_TIMED_OUT"), "saw 'Prodce'; did you mean 'Produce'"),
        (("Produce", "NOT_LEADER"), "an error of Kafka's, saw 'NOT_LEADER'; did you mean"),
        (("Metadata", "LEADER_NOT_AVAILABLE"), "say done=True"),
        (("Produce", "DUPLICATE_SEQUENCE_NUMBER"), "for acknowledged, .* say done=True"),
    ],
)
def test_what_no_broker_answers_is_refused(words: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        AnswerRequests(*words)


def test_what_is_written_may_be_answered_with_all_but_what_the_record_takes_for_failed() -> None:
    of_brokers = {code for code in producer.REFUSED if code > 0}  # below are the library's own
    failed = {*outcomes.REFUSED, *of_brokers, *(CODES[each] for each in requests.REFUSED)}

    for name, code in KNOWN.items():
        if code in failed:
            with pytest.raises(UsageError, match="would say that the send has failed, though"):
                AnswerRequests("Produce", name, done=True)
        else:
            assert AnswerRequests("Produce", name, done=True).error == name


def test_what_is_committed_may_be_answered_with_all_but_what_the_record_takes_for_failed() -> None:
    failed = {*outcomes.COMMIT_REFUSED, *(CODES[each] for each in commits.REFUSED - {ABORTED})}

    for name, code in KNOWN.items():
        if code in failed:
            with pytest.raises(UsageError, match="would say that the commit has failed, though"):
                AnswerRequests("OffsetCommit", name, done=True)
        else:
            assert AnswerRequests("OffsetCommit", name, done=True).error == name
        assert AnswerRequests("OffsetCommit", name).error == name


def test_the_gate_refuses_rules_that_it_has_no_words_for(gate: GateProcess) -> None:
    answer = Action("answer", error=6)

    with pytest.raises(InfrastructureError, match="needs Kafka's descriptions"):
        gate.add(Rule(Match(stage="request", apis=(HEARTBEAT,)), answer))
    with pytest.raises(InfrastructureError, match="no answer can be made for apis"):
        gate.add(Rule(Match(stage="request", apis=(API_VERSIONS,)), answer))
    with pytest.raises(ValueError, match="answer needs one"):
        Action("answer")
