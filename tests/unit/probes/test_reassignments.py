"""What is asked of controllers about moves by hand, read and answered by kio."""

from __future__ import annotations

import pytest
from kio.schema.errors import ErrorCode
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.model import TopicPartition
from highwater.harness.probes.reassignments import Move, moves_under_way
from highwater.harness.probes.wire import AnswerError

NOT_CONTROLLER = 41


def test_a_controller_tells_which_replicas_come_and_which_go() -> None:
    asked = schema("list_partition_reassignments", 0, "request")
    answer = schema("list_partition_reassignments", 0, "response")
    moving = answer.OngoingPartitionReassignment(
        partition_index=1, replicas=(2, 3, 1), adding_replicas=(3,), removing_replicas=(1,)
    )
    growing = answer.OngoingPartitionReassignment(
        partition_index=4, replicas=(1, 2), adding_replicas=(2,), removing_replicas=()
    )
    topic = answer.OngoingTopicReassignment(name="orders", partitions=(moving, growing))
    told = answer.ListPartitionReassignmentsResponse(
        throttle_time=AT_ONCE, error_code=ErrorCode(0), error_message=None, topics=(topic,)
    )
    wheres = TopicPartition("orders", 1), TopicPartition("bills", 0)

    with answering(asked.ListPartitionReassignmentsRequest, told) as (wire, read):
        found = moves_under_way(wire, wheres)

    assert found == {("orders", 1): Move((3,), (1,)), ("orders", 4): Move((2,), ())}
    named = [(each.name, each.partition_indexes) for each in read[0].topics]
    assert named == [("orders", (1,)), ("bills", (0,))]


def test_nobody_is_the_controller() -> None:
    asked = schema("list_partition_reassignments", 0, "request")
    answer = schema("list_partition_reassignments", 0, "response")
    told = answer.ListPartitionReassignmentsResponse(
        throttle_time=AT_ONCE, error_code=ErrorCode(NOT_CONTROLLER), error_message="no", topics=()
    )

    with (
        answering(asked.ListPartitionReassignmentsRequest, told) as (wire, _),
        pytest.raises(AnswerError, match="NOT_CONTROLLER"),
    ):
        moves_under_way(wire, (TopicPartition("orders"),))
