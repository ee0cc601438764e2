"""A broker is asked by hand to have a replica on another disk; read and answered by kio."""

from __future__ import annotations

import pytest
from kio.schema.errors import ErrorCode
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.model import TopicPartition
from highwater.harness.probes.log_dirs import VERSION, move_to_disk
from highwater.harness.probes.wire import AnswerError

WHERE = TopicPartition("orders", 3)
LOG_DIR_NOT_FOUND = 57


@pytest.mark.parametrize("code", [0, LOG_DIR_NOT_FOUND])
def test_a_replica_is_to_be_on_another_disk(code: int) -> None:
    asked, answer = (
        schema("alter_replica_log_dirs", VERSION, "request"),
        schema("alter_replica_log_dirs", VERSION, "response"),
    )
    partition = answer.AlterReplicaLogDirPartitionResult(
        partition_index=3, error_code=ErrorCode(code)
    )
    topic = answer.AlterReplicaLogDirTopicResult(topic_name="orders", partitions=(partition,))
    told = answer.AlterReplicaLogDirsResponse(throttle_time=AT_ONCE, results=(topic,))

    with answering(asked.AlterReplicaLogDirsRequest, told) as (wire, heard):
        if code:
            with pytest.raises(AnswerError, match=r"moving orders-3 into /disk .* error 57"):
                move_to_disk(wire, WHERE, "/disk")
        else:
            move_to_disk(wire, WHERE, "/disk")

    (disk,) = heard[0].dirs
    (moved,) = disk.topics
    assert (disk.path, moved.name, moved.partitions) == ("/disk", "orders", (3,))
