"""What a transactional producer asks for by hand, read and answered by kio."""

from __future__ import annotations

from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.gate.headers import (
    ADD_OFFSETS_TO_TXN,
    END_TXN,
    OFFSET_FETCH,
    PRODUCE,
    TXN_OFFSET_COMMIT,
    is_flexible,
)
from highwater.harness.gate.messages.codec import read, write
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import Reader
from highwater.harness.model import TopicPartition
from highwater.harness.probes.positions import group_position
from highwater.harness.probes.transacting import (
    add_group,
    add_partition,
    begin_anew,
    end_transaction,
    find_transaction_coordinator,
    position_body,
    read_positioned,
)
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.versions.jars import message_jars
from highwater.harness.workloads.requests import Acks, produce_body, read_produced

OWNER = Identity(7, 3)
CONCURRENT = 51


def test_any_broker_tells_who_coordinates_a_transactional_id() -> None:
    asked, answer = (
        schema("find_coordinator", 1, "request"),
        schema("find_coordinator", 1, "response"),
    )
    told = answer.FindCoordinatorResponse(
        throttle_time=AT_ONCE, error_code=ErrorCode(0), error_message=None, node_id=2,
        host="kafka", port=9092,
    )  # fmt: skip

    with answering(asked.FindCoordinatorRequest, told) as (wire, heard):
        assert find_transaction_coordinator(wire, "orders") == 2

    assert (heard[0].key, heard[0].key_type) == ("orders", 1)


@pytest.mark.parametrize("code", [0, CONCURRENT])
def test_a_producer_begins_anew(code: int) -> None:
    asked, answer = (
        schema("init_producer_id", 0, "request"),
        schema("init_producer_id", 0, "response"),
    )
    told = answer.InitProducerIdResponse(
        throttle_time=AT_ONCE, error_code=ErrorCode(code), producer_id=7, producer_epoch=3
    )

    with answering(asked.InitProducerIdRequest, told) as (wire, heard):
        if code:
            with pytest.raises(AnswerError, match=r"error 51 \(CONCURRENT_TRANSACTIONS\)"):
                begin_anew(wire, "orders", 10_000)
        else:
            assert begin_anew(wire, "orders", 10_000) == OWNER

    assert heard[0].transactional_id == "orders"


@pytest.mark.parametrize("code", [0, CONCURRENT])
def test_a_transaction_has_a_partition_more(code: int) -> None:
    asked = schema("add_partitions_to_txn", 0, "request")
    answer = schema("add_partitions_to_txn", 0, "response")
    partition = answer.AddPartitionsToTxnPartitionResult(
        partition_index=4, partition_error_code=ErrorCode(code)
    )
    topic = answer.AddPartitionsToTxnTopicResult(name="t", results_by_partition=(partition,))
    told = answer.AddPartitionsToTxnResponse(
        throttle_time=AT_ONCE, results_by_topic_v3_and_below=(topic,)
    )

    with answering(asked.AddPartitionsToTxnRequest, told) as (wire, heard):
        if code:
            with pytest.raises(AnswerError, match="adding t-4 to the transaction of orders"):
                add_partition(wire, "orders", OWNER, TopicPartition("t", 4))
        else:
            add_partition(wire, "orders", OWNER, TopicPartition("t", 4))

    said = heard[0]
    assert said.v3_and_below_transactional_id == "orders"
    assert (said.v3_and_below_producer_id, said.v3_and_below_producer_epoch) == OWNER
    assert [(each.name, each.partitions) for each in said.v3_and_below_topics] == [("t", (4,))]


@pytest.mark.parametrize("commit", [True, False])
def test_a_transaction_ends(commit: bool) -> None:
    asked, answer = schema("end_txn", 0, "request"), schema("end_txn", 0, "response")
    told = answer.EndTxnResponse(throttle_time=AT_ONCE, error_code=ErrorCode(0))

    with answering(asked.EndTxnRequest, told) as (wire, heard):
        found = end_transaction(wire, "orders", OWNER, commit=commit, raises_epoch=False)

    assert found == OWNER
    said = heard[0]
    assert (said.transactional_id, said.producer_id, said.producer_epoch) == ("orders", *OWNER)
    assert said.committed is commit


class Answers(Wire):
    """Keeps the one request that it is asked, and has the answer."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("127.0.0.1", 1)
        self._answer = answer
        self.asked: list[tuple[int, int, bytes]] = []

    def ask(self, api_key: int, version: int, body: bytes, timeout_s: float = 0.0) -> Reader:
        self.asked.append((api_key, version, body))
        return Reader(self._answer, 0, flexible=is_flexible(api_key, version))


def test_the_end_of_the_second_protocol_raises_the_epoch() -> None:
    """By Kafka's own description: kio does not know this version."""
    schemas = Schemas(message_jars())
    raised = {"ProducerId": 7, "ProducerEpoch": 4}
    wire = Answers(write(schemas.response(END_TXN, 5), 5, raised))

    found = end_transaction(wire, "orders", OWNER, commit=True, raises_epoch=True)

    assert found == Identity(7, 4)
    ((api_key, version, body),) = wire.asked
    assert (api_key, version) == (END_TXN, 5)
    said = {"TransactionalId": "orders", "ProducerId": 7, "ProducerEpoch": 3, "Committed": True}
    assert read(schemas.request(END_TXN, 5), 5, Reader(body, 0, flexible=True)) == said


@pytest.mark.parametrize("code", [0, CONCURRENT])
def test_a_transaction_has_the_positions_of_a_group(code: int) -> None:
    schemas = Schemas(message_jars())
    wire = Answers(write(schemas.response(ADD_OFFSETS_TO_TXN, 0), 0, {"ErrorCode": code}))

    if code:
        with pytest.raises(AnswerError, match="adding the positions of billing to the transaction"):
            add_group(wire, "orders", OWNER, "billing")
    else:
        add_group(wire, "orders", OWNER, "billing")

    ((api_key, version, body),) = wire.asked
    assert (api_key, version) == (ADD_OFFSETS_TO_TXN, 0)
    said = read(schemas.request(ADD_OFFSETS_TO_TXN, 0), 0, Reader(body, 0, flexible=False))
    owner = {"TransactionalId": "orders", "ProducerId": 7, "ProducerEpoch": 3}
    assert said == {**owner, "GroupId": "billing"}


@pytest.mark.parametrize("version", [0, 5])
@pytest.mark.parametrize("code", [0, CONCURRENT])
def test_a_position_is_committed_in_a_transaction(version: int, code: int) -> None:
    schemas = Schemas(message_jars())
    partition = {"PartitionIndex": 4, "ErrorCode": code}
    told = {"ThrottleTimeMs": 0, "Topics": [{"Name": "t", "Partitions": [partition]}]}
    wire = Answers(write(schemas.response(TXN_OFFSET_COMMIT, version), version, told))
    body = position_body("orders", OWNER, ("billing", TopicPartition("t", 4), 12), version)

    assert read_positioned(wire.ask(TXN_OFFSET_COMMIT, version, body)) == code

    described, is_new = schemas.request(TXN_OFFSET_COMMIT, version), version == 5
    said = read(described, version, Reader(body, 0, flexible=is_new))
    (topic,) = said.pop("Topics")
    members = {"GenerationIdOrMemberEpoch": -1, "MemberId": "", "GroupInstanceId": None}
    assert said == {
        "TransactionalId": "orders", "GroupId": "billing", "ProducerId": 7, "ProducerEpoch": 3,
        **(members if is_new else {}),
    }  # fmt: skip
    epoch = {"CommittedLeaderEpoch": -1} if is_new else {}
    position = {"PartitionIndex": 4, "CommittedOffset": 12, **epoch, "CommittedMetadata": ""}
    assert topic == {"Name": "t", "Partitions": [position]}


@pytest.mark.parametrize(
    ("offset", "code", "of_all", "found"),
    [(12, 0, 0, 12), (-1, 0, 0, None), (-1, 88, 0, "UNSTABLE_OFFSET_COMMIT"), (0, 0, 16, "NOT_C")],
)
def test_a_position_that_no_open_transaction_can_change_is_asked_for(
    offset: int, code: int, of_all: int, found: int | str | None
) -> None:
    schemas = Schemas(message_jars())
    position = {"PartitionIndex": 4, "CommittedOffset": offset, "ErrorCode": code, "Metadata": ""}
    topics = [] if of_all else [{"Name": "t", "Partitions": [position]}]
    told = {"Topics": topics, "ErrorCode": of_all}
    wire = Answers(write(schemas.response(OFFSET_FETCH, 7), 7, told))

    if isinstance(found, str):
        with pytest.raises(AnswerError, match=found):
            group_position(wire, "billing", TopicPartition("t", 4), is_stable=True)
    else:
        assert group_position(wire, "billing", TopicPartition("t", 4), is_stable=True) == found

    ((_, version, body),) = wire.asked
    said = read(schemas.request(OFFSET_FETCH, 7), 7, Reader(body, 0, flexible=True))
    assert (version, said["GroupId"], said["RequireStable"]) == (7, "billing", True)
    assert said["Topics"] == [{"Name": "t", "PartitionIndexes": [4]}]


@pytest.mark.parametrize("version", [3, 12])  # kio knows it up to 11, which reads alike
@pytest.mark.parametrize("code", [0, 48])
def test_records_are_sent_in_a_transaction(version: int, code: int) -> None:
    known = min(version, 11)
    asked, answer = schema("produce", known, "request"), schema("produce", known, "response")
    is_old = version == 3
    more: dict[str, Any] = {} if is_old else {"record_errors": ()}
    partition = answer.PartitionProduceResponse(
        index=4, error_code=ErrorCode(code), base_offset=12, log_append_time=None, **more
    )
    topic = answer.TopicProduceResponse(name="t", partition_responses=(partition,))
    told = answer.ProduceResponse(responses=(topic,), throttle_time=AT_ONCE)
    where = TopicPartition("t", 4)
    body = produce_body(where, b"batch", Acks.ALL, "orders", version)

    with answering(asked.ProduceRequest, told, version) as (wire, heard):
        found = read_produced(wire.ask(PRODUCE, version, body))

    assert found == (code, 12)
    said = heard[0]
    assert (said.transactional_id, said.acks) == ("orders", -1)
    (of_topic,) = said.topic_data
    (of_partition,) = of_topic.partition_data
    assert (of_topic.name, of_partition.index, of_partition.records) == ("t", 4, b"batch")
