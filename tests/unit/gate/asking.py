"""What clients ask that goes on the record, as bytes, and how brokers answer it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from tests.unit.gate.conftest import Peer, framed

from highwater.harness.gate.headers import (
    OFFSET_COMMIT,
    PRODUCE,
    TXN_OFFSET_COMMIT,
    encode_request,
    is_flexible,
)
from highwater.harness.gate.messages import codec
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.rows import Row
from highwater.harness.versions.jars import message_jars

SCHEMAS = Schemas(message_jars())
BATCH = struct.Struct(">qiibIhiqqqhii")
PRODUCED, COMMITTED, BEGUN = 9, 8, 4  # versions
Told = list[tuple[str, Row]]
Client = Callable[[bytes], Peer]


def batch(producer_id: int, epoch: int, sequence: int, count: int, flags: int = 0) -> bytes:
    rest = BATCH.size - 12
    times = (-1, -1)
    return BATCH.pack(
        0, rest, 0, 2, 0, flags, count - 1, *times, producer_id, epoch, sequence, count
    )


def request(api: int, version: int, number: int, values: dict[str, Any]) -> bytes:
    message = SCHEMAS.request(api, version)
    body = codec.write(message, version, values)
    if version in message.flexible and not is_flexible(api, version):  # which knows not all
        body = b"\x00" + body
    return encode_request(api, version, number, "me", body)


def answer(api: int, version: int, number: int, values: dict[str, Any]) -> bytes:
    message = SCHEMAS.response(api, version)
    tags = b"\x00" if version in message.flexible else b""
    return framed(struct.pack(">i", number) + tags + codec.write(message, version, values))


def produce(number: int, *batches: bytes, acks: int = -1) -> bytes:
    data = [{"Index": 2, "Records": b"".join(batches)}]
    values = {"Acks": acks, "TopicData": [{"Name": "orders", "PartitionData": data}]}
    return request(PRODUCE, PRODUCED, number, values)


def produced(number: int, error: int = 0, offset: int = 40) -> bytes:
    told = [{"Index": 2, "ErrorCode": error, "BaseOffset": offset}]
    values = {"Responses": [{"Name": "orders", "PartitionResponses": told}]}
    return answer(PRODUCE, PRODUCED, number, values)


def commit(number: int, offsets: dict[int, int], api: int = OFFSET_COMMIT) -> bytes:
    asked = [{"PartitionIndex": each, "CommittedOffset": at} for each, at in offsets.items()]
    topics = [{"Name": "orders", "Partitions": asked}]
    values = {"GroupId": "billing", "MemberId": "me-1", "Topics": topics}
    generation = "GenerationIdOrMemberEpoch" if api == OFFSET_COMMIT else "GenerationId"
    more: dict[str, Any] = {"TransactionalId": "tx"} if api == TXN_OFFSET_COMMIT else {}
    version = COMMITTED if api == OFFSET_COMMIT else 3
    return request(api, version, number, {**values, generation: 7, **more})


def committed(number: int, errors: dict[int, int], api: int = OFFSET_COMMIT) -> bytes:
    told = [{"PartitionIndex": each, "ErrorCode": code} for each, code in errors.items()]
    version = COMMITTED if api == OFFSET_COMMIT else 3
    return answer(api, version, number, {"Topics": [{"Name": "orders", "Partitions": told}]})
