"""Two things that operators ask brokers for: a topic of so many partitions, and to forget records.

The oldest versions of these apis that brokers answer which know them.
"""

from __future__ import annotations

from highwater.harness.gate.headers import CREATE_TOPICS, DELETE_RECORDS
from highwater.harness.gate.primitives import Writer
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.versions.catalogue import Kafka

TIMEOUT_MS = 10_000


def create_topic_anywhere(
    kafka: Kafka, controller: Wire, topic: str, partitions: int, replicas: int
) -> None:
    """Let the controller choose the brokers, which a broker of KRaft asks; raises AnswerError."""
    version = kafka.create_topics_version
    body = Writer(flexible=False)
    body.int32(1)  # topic
    body.nullable_string(topic)
    body.int32(partitions)
    body.int16(replicas)
    body.int32(0)  # assignments
    body.int32(0)  # settings
    body.int32(TIMEOUT_MS)
    if version >= 1:
        body.boolean(False)
    answer = controller.ask(CREATE_TOPICS, version, bytes(body.buffer))
    if version >= 2:
        answer.int32()  # throttle time
    answer.int32()  # one topic
    answer.string()
    code = answer.int16()
    if code:
        reason = answer.nullable_string() if version >= 1 else ""
        raise AnswerError(f"creating {topic}", code, reason or "")


def delete_records(leader: Wire, where: TopicPartition, below: int) -> int:
    """Delete all below an offset (KIP-107, from 0.11 on); the low watermark of all replicas.

    Answered when every live replica's log begins there. Raises AnswerError.
    """
    body = Writer(flexible=False)
    body.int32(1)  # topic
    body.nullable_string(where.topic)
    body.int32(1)  # partition
    body.int32(where.partition)
    body.int64(below)
    body.int32(TIMEOUT_MS)
    answer = leader.ask(DELETE_RECORDS, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    answer.int32()  # one topic
    answer.string()
    answer.int32()  # and one partition
    answer.int32()
    low, code = answer.int64(), answer.int16()
    if code:
        raise AnswerError(f"deleting records of {where} below {below}", code)
    return low
