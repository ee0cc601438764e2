"""One Produce request to each leader, with a record for every partition that it leads.

A client library sends one for each partition, and a broker takes no request from a connection
before it has answered the one before: thousands that wait for followers would wait in a row.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.headers import PRODUCE, is_flexible
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.probes.wire import Wire
from highwater.harness.wait import wait_until
from highwater.harness.workloads.requests import CURRENT, LEGACY, message_set, record_batch

PATIENCE_S = 600.0
ALL = -1  # acks
# Who tells that it leads, with KRaft, may be about to; and a follower that has to turn to thousands
# of partitions leaves the ISR for a while.
NOT_LEADER, TOO_FEW, TOO_FEW_AFTER_APPEND = 6, 19, 20


def all_acknowledged_s(cluster: KafkaCluster, led: Mapping[int, Sequence[TopicPartition]]) -> float:
    """When the last leader had acknowledged its records, in seconds since the epoch.

    Where the ISR must have two it waits for a follower of each partition with that. Raises
    InfrastructureError for a record that was refused by a leader, and DeadlineError for no answer.
    """
    with ThreadPoolExecutor(len(led)) as pool:
        return max(pool.map(partial(_acknowledged_s, cluster), led, led.values()))


def _acknowledged_s(cluster: KafkaCluster, broker: int, wheres: Sequence[TopicPartition]) -> float:
    has_batches, now_ms = cluster.kafka.has_record_batches, int(time.time() * 1000)
    content = (record_batch if has_batches else message_set)([b"x"], now_ms)
    version = CURRENT if has_batches else LEGACY
    wire, left = Wire.at(cluster.address(broker), PATIENCE_S), [*wheres]

    def all_are() -> bool:
        """Who cannot take a record yet is asked again."""
        left[:] = refused(wire.ask(PRODUCE, version, body(left, content, version)))
        return not left

    try:
        wait_until(all_are, f"broker {broker} to take {len(left)} records", PATIENCE_S)
    finally:
        wire.close()
    return time.time()


def body(wheres: Sequence[TopicPartition], content: bytes, version: int) -> bytes:
    """The same content for each of these; versions 2 and 3, which are not flexible."""
    out = Writer(is_flexible(PRODUCE, version))
    if version >= CURRENT:
        out.nullable_string(None)  # no transactional.id
    out.int16(ALL)
    out.int32(int(PATIENCE_S * 1000))

    def partition(where: TopicPartition) -> None:
        out.int32(where.partition)
        out.nullable_bytes(content)

    def topic(name: str) -> None:
        out.nullable_string(name)
        out.array([each for each in wheres if each.topic == name], partition)

    out.array(sorted({each.topic for each in wheres}), topic)
    return bytes(out.buffer)


def refused(answer: Reader) -> list[TopicPartition]:
    """For now. Raises InfrastructureError for another error."""
    found: list[TopicPartition] = []
    for _ in range(answer.int32()):
        topic = answer.string()
        for _ in range(answer.int32()):
            number, code = answer.int32(), answer.int16()
            answer.int64()  # offset
            answer.int64()  # time of the append
            if code not in {0, NOT_LEADER, TOO_FEW, TOO_FEW_AFTER_APPEND}:
                raise InfrastructureError(f"{topic}-{number}: answered with error {code}")
            found += [TopicPartition(topic, number)] if code else []
    return found
