"""What a log of metadata says of a partition; records and their descriptions stand here."""

from __future__ import annotations

import json
import struct
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.probes.conftest import build_batch

from highwater.harness.errors import RecordError
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.probes.metadata_log import DIRECTORY, MetadataLog

ORDERS, ANEW, OTHERS = (uuid.UUID(int=number) for number in (7, 8, 9))
CONTROL = 1 << 5


def field(name: str, kind: str, **more: Any) -> Mapping[str, Any]:
    return {"name": name, "type": kind, "versions": "0+", **more}


def tagged(name: str, kind: str, tag: int, default: str) -> Mapping[str, Any]:
    nullable = {"nullableVersions": "0+"} if default == "null" else {}
    return field(name, kind, taggedVersions="0+", tag=tag, default=default, **nullable)


OF_PARTITION = [field("PartitionId", "int32"), field("TopicId", "uuid")]
DESCRIBED: Mapping[str, tuple[int, Sequence[Mapping[str, Any]]]] = {
    "TopicRecord": (2, [field("Name", "string"), field("TopicId", "uuid")]),
    "RemoveTopicRecord": (9, [field("TopicId", "uuid")]),
    "PartitionRecord": (
        3,
        [
            *OF_PARTITION, field("Replicas", "[]int32"), field("Isr", "[]int32"),
            field("RemovingReplicas", "[]int32"), field("AddingReplicas", "[]int32"),
            field("Leader", "int32"), field("LeaderEpoch", "int32"),
            field("PartitionEpoch", "int32"), tagged("Directories", "[]uuid", 9, "null"),
        ],
    ),
    "PartitionChangeRecord": (
        5,
        [
            *OF_PARTITION, tagged("Isr", "[]int32", 0, "null"), tagged("Leader", "int32", 1, "-2"),
            tagged("Replicas", "[]int32", 2, "null"),
            tagged("EligibleLeaderReplicas", "[]int32", 6, "null"),
            tagged("Directories", "[]uuid", 8, "null"),
        ],
    ),
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> MetadataLog:
    jar = tmp_path / "kafka-metadata.jar"
    with zipfile.ZipFile(jar, "w") as opened:
        for name, (number, fields) in DESCRIBED.items():
            told = {
                "apiKey": number, "type": "metadata", "name": name, "validVersions": "0",
                "flexibleVersions": "0+", "fields": fields,
            }  # fmt: skip
            opened.writestr(f"common/metadata/{name}.json", json.dumps(told))
    (tmp_path / DIRECTORY).mkdir()
    return MetadataLog(tmp_path, Schemas([jar]))


def ints(*numbers: int) -> bytes:
    return bytes([len(numbers) + 1]) + struct.pack(f">{len(numbers)}i", *numbers)


def named(name: str, topic: uuid.UUID) -> bytes:
    return bytes([1, 2, 0, len(name) + 1]) + name.encode() + topic.bytes + b"\0"


def ids(*numbers: int) -> bytes:
    return bytes([len(numbers) + 1]) + b"".join(uuid.UUID(int=each).bytes for each in numbers)


def created(topic: uuid.UUID, partition: int, leader: int, epoch: int) -> bytes:
    head = bytes([1, 3, 0]) + struct.pack(">i", partition) + topic.bytes
    lists = ints(2, 1, 3) + ints(3, 2, 1) + ints() + ints()
    return head + lists + struct.pack(">iii", leader, epoch, 0) + b"\0"


def changed(topic: uuid.UUID, partition: int, **tags: bytes) -> bytes:
    head = bytes([1, 5, 0]) + struct.pack(">i", partition) + topic.bytes
    numbers = {"isr": 0, "leader": 1, "replicas": 2, "elr": 6, "directories": 8}
    told = [bytes([numbers[name], len(value)]) + value for name, value in tags.items()]
    return head + bytes([len(told)]) + b"".join(told)


def write(log: MetadataLog, *values: bytes, attributes: int = 0) -> None:
    path = log.log_dir / DIRECTORY / f"{0:020}.log"
    known = path.read_bytes() if path.exists() else b""
    pairs = [(None, value) for value in values]
    path.write_bytes(known + build_batch(pairs, base_offset=len(known), attributes=attributes))


def test_a_partition_is_as_its_record_and_its_changes_leave_it(log: MetadataLog) -> None:
    write(log, named("orders", ORDERS), named("others", OTHERS), created(OTHERS, 1, 2, 0))
    assert log.partition(TopicPartition("orders", 1)) is None
    write(log, created(ORDERS, 1, 2, 0), created(ORDERS, 0, 3, 4))
    first = PartitionState(2, 0, (1, 2, 3), (2, 1, 3), topic_id=str(ORDERS))
    assert log.partition(TopicPartition("orders", 1)) == first

    write(log, changed(ORDERS, 1, isr=ints(3, 1), elr=ints(2)), changed(OTHERS, 1, isr=ints(2)))
    assert log.partition(TopicPartition("orders", 1)) == PartitionState(
        2, 0, (1, 3), (2, 1, 3), (2,), str(ORDERS)
    )
    write(log, changed(ORDERS, 1, leader=struct.pack(">i", 3), replicas=ints(3, 1)))
    write(log, changed(ORDERS, 1, leader=struct.pack(">i", 3), elr=ints()))
    assert log.partition(TopicPartition("orders", 1)) == PartitionState(
        3, 2, (1, 3), (3, 1), (), str(ORDERS)
    )


def test_where_each_replica_lies_is_as_the_last_record_leaves_it(log: MetadataLog) -> None:
    where = TopicPartition("orders", 1)
    write(log, named("orders", ORDERS), created(ORDERS, 1, 2, 0))
    assert not log.directories(where)

    write(log, changed(ORDERS, 1, directories=ids(101, 102, 103)))
    write(log, changed(ORDERS, 0, directories=ids(201, 202, 203)))
    write(log, changed(ORDERS, 1, isr=ints(3, 1)))
    assert log.directories(where) == {
        each: uuid.UUID(int=100 + n) for n, each in ((1, 2), (2, 1), (3, 3))
    }

    write(log, changed(ORDERS, 1, replicas=ints(3, 1), directories=ids(103, 104)))
    assert log.directories(where) == {3: uuid.UUID(int=103), 1: uuid.UUID(int=104)}
    write(log, named("orders", ANEW), created(ANEW, 1, 2, 0))
    assert not log.directories(where)


def test_a_topic_that_is_created_anew_is_another_one(log: MetadataLog) -> None:
    write(log, named("orders", ORDERS), created(ORDERS, 0, 2, 5), named("orders", ANEW))
    write(log, created(ORDERS, 0, 1, 9))
    assert log.partition(TopicPartition("orders")) is None

    write(log, created(ANEW, 0, 3, 0))
    state = log.partition(TopicPartition("orders"))
    assert state is not None
    assert (state.leader, state.leader_epoch, state.topic_id) == (3, 0, str(ANEW))


def test_of_a_topic_that_is_gone_nothing_is_told(log: MetadataLog) -> None:
    write(log, named("orders", ORDERS), created(ORDERS, 0, 2, 5))
    write(log, named("others", OTHERS), bytes([1, 9, 0]) + OTHERS.bytes + b"\0")
    assert log.partition(TopicPartition("orders")) is not None

    write(log, bytes([1, 9, 0]) + ORDERS.bytes + b"\0")
    assert log.partition(TopicPartition("orders")) is None


def test_what_is_of_something_else_is_left_out(log: MetadataLog) -> None:
    write(log, bytes([1, 12, 0, 0]), named("orders", ORDERS), created(ORDERS, 0, 2, 5))
    write(log, b"\x09\x09", attributes=CONTROL)

    assert log.partition(TopicPartition("orders")) is not None


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (b"", "the record 0 of metadata cannot be read"),
        (bytes([2, 3, 0]), "expected frame 1, saw 2"),
        (bytes([1, 3, 9]), "no jar describes the metadata of api 3, version 9"),
        (created(ORDERS, 0, 2, 5)[:-8], "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_told(log: MetadataLog, record: bytes, told: str) -> None:
    write(log, record)

    with pytest.raises(RecordError, match=told):
        log.partition(TopicPartition("orders"))
