"""Records of __consumer_offsets by the hundred thousand: one position, written again and again.

In a compressed batch of these there is next to nothing to send, and a coordinator that reads its
log has to look at each of them.
"""

from __future__ import annotations

import gzip
import struct

from crc32c import crc32c

from highwater.harness.gate.primitives import Writer
from highwater.harness.model import TopicPartition

KEY, VALUE = 1, 1  # the versions of both that every release reads (OffsetCommitKey, -Value)
GZIP = 1  # of a batch's attributes
# Whose name a broker lets write there: org.apache.kafka.server.util / AdminUtils, "__admin_client".
ADMIN = "__admin_client"


def position_batch(group: str, where: TopicPartition, times: int, now_ms: int) -> bytes:
    """One batch of magic 2: so often position 0 of a group, in one partition."""
    key, value = _key(group, where), _value(now_ms)
    records = bytearray()
    for delta in range(times):
        body = Writer(flexible=False)
        body.int8(0)
        for number in (0, delta, len(key)):  # timestamp, offset, key
            body.varint(number)
        body.buffer += key
        body.varint(len(value))
        body.buffer += value
        body.varint(0)  # headers
        sized = Writer(flexible=False)
        sized.varint(len(body.buffer))
        records += sized.buffer + body.buffer
    head = struct.pack(">hiqq", GZIP, times - 1, now_ms, now_ms)
    head += struct.pack(">qhii", -1, -1, -1, times)  # of no idempotent producer
    tail = head + gzip.compress(records, 1)
    return struct.pack(">qiibI", 0, 9 + len(tail), -1, 2, crc32c(tail)) + tail


def _key(group: str, where: TopicPartition) -> bytes:
    body = Writer(flexible=False)
    body.int16(KEY)
    body.nullable_string(group)
    body.nullable_string(where.topic)
    body.int32(where.partition)
    return bytes(body.buffer)


def _value(now_ms: int) -> bytes:
    body = Writer(flexible=False)
    body.int16(VALUE)
    body.int64(0)  # the position
    body.nullable_string("")
    body.int64(now_ms)
    body.int64(-1)  # kept as long as by default
    return bytes(body.buffer)
