"""What is asked of coordinators of transactions by hand, read and answered by kio."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from kio.static.primitive import i32Timedelta
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.probes.transactions import (
    Described,
    Identity,
    describe_transaction,
    describe_transactions,
    init_producer_id,
)
from highwater.harness.probes.wire import AnswerError

NOT_COORDINATOR = 16


def test_a_coordinator_tells_the_state_of_a_transaction_and_whose_it_is() -> None:
    asked = schema("describe_transactions", 0, "request")
    answer = schema("describe_transactions", 0, "response")
    described = answer.TransactionState(
        error_code=ErrorCode(0),
        transactional_id="orders",
        transaction_state="Ongoing",
        transaction_timeout=i32Timedelta.parse(timedelta(seconds=60)),
        transaction_start_time=datetime(2026, 1, 1, tzinfo=UTC),
        producer_id=7,
        producer_epoch=3,
        topics=(),
    )
    states = (described,)
    told = answer.DescribeTransactionsResponse(throttle_time=AT_ONCE, transaction_states=states)

    with answering(asked.DescribeTransactionsRequest, told) as (wire, read):
        found = describe_transaction(wire, "orders")

    assert found == Described("Ongoing", Identity(7, 3), 1_767_225_600_000)
    assert read[0].transactional_ids == ("orders",)


def test_a_broker_tells_of_several_without_those_that_others_coordinate() -> None:
    asked = schema("describe_transactions", 0, "request")
    answer = schema("describe_transactions", 0, "response")

    def state(name: str, code: int) -> Any:
        return answer.TransactionState(
            error_code=ErrorCode(code),
            transactional_id=name,
            transaction_state="" if code else "PrepareCommit",
            transaction_timeout=i32Timedelta.parse(timedelta(seconds=60)),
            transaction_start_time=datetime(2026, 1, 1, tzinfo=UTC),
            producer_id=7,
            producer_epoch=3,
            topics=(answer.TopicData(topic="t", partitions=(0, 1)),),
        )

    states = (state("orders", 0), state("bills", NOT_COORDINATOR), state("more", 0))
    told = answer.DescribeTransactionsResponse(throttle_time=AT_ONCE, transaction_states=states)

    with answering(asked.DescribeTransactionsRequest, told) as (wire, read):
        found = describe_transactions(wire, ("orders", "bills", "more"))

    one = Described("PrepareCommit", Identity(7, 3), 1_767_225_600_000)
    assert found == {"orders": one, "more": one}
    assert read[0].transactional_ids == ("orders", "bills", "more")


@pytest.mark.parametrize("code", [0, 51])
def test_a_producer_asks_for_a_higher_epoch_than_it_has(code: int) -> None:
    asked = schema("init_producer_id", 3, "request")
    answer = schema("init_producer_id", 3, "response")
    told = answer.InitProducerIdResponse(
        throttle_time=AT_ONCE, error_code=ErrorCode(code), producer_id=7, producer_epoch=4
    )

    with answering(asked.InitProducerIdRequest, told) as (wire, read):
        if code:
            with pytest.raises(AnswerError, match=r"error 51 \(CONCURRENT_TRANSACTIONS\)"):
                init_producer_id(wire, "orders", 60_000, Identity(7, 3))
        else:
            assert init_producer_id(wire, "orders", 60_000, Identity(7, 3)) == Identity(7, 4)

    said = read[0]
    assert (said.transactional_id, said.producer_id, said.producer_epoch) == ("orders", 7, 3)
    assert said.transaction_timeout == timedelta(seconds=60)
