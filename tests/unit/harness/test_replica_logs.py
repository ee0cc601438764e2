"""Rows of replicas' logs: what is in each column, and what may tell two records apart."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.model import TopicPartition
from highwater.harness.probes.batch_format import Record
from highwater.harness.probes.batches import Batch
from highwater.harness.probes.records import Stretch
from highwater.harness.replica_logs import Logs
from highwater.harness.tables import REPLICA_LOGS
from highwater.harness.workloads.payload import encoder

WHERE = TopicPartition("orders", 2)
OURS, CHECKSUM = encoder(64)(7)


def batch(**more: Any) -> Batch:
    file = {"path": Path("/somewhere/00000000000000000005.log"), "position": 61, "size_bytes": 99}
    return Batch(**{**file, "base_offset": 5, "last_offset": 9, "magic": 2, **more})


def rows(*stretches: Stretch) -> list[dict[str, Any]]:
    logs = Logs()
    for each in stretches:
        logs.add(3, WHERE, each)
    assert len(logs) == sum(len(each.records) or 1 for each in stretches)
    table = logs.take()
    assert len(logs) == len(logs.take()) == 0
    assert table.schema == REPLICA_LOGS
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def digest(value: bytes | None, key: bytes | None = None, *, is_control: bool = False) -> int:
    record = Record(5, None, key, value)
    (row,) = rows(Stretch(batch=batch(is_control=is_control), records=[record]))
    return int(row["digest"])


def test_a_record_of_ours_is_known_by_its_value() -> None:
    records = [
        Record(5, None, None, OURS),
        Record(6, None, None, b"foreign"),
        Record(9, 1, b"", None),
    ]

    found = rows(Stretch(batch=batch(leader_epoch=4), records=records))

    assert [(row["offset"], row["value"], row["checksum"]) for row in found] == [
        (5, 7, CHECKSUM),
        (6, None, zlib.crc32(b"foreign")),
        (9, None, None),
    ]
    shared = {
        name: found[0][name]
        for name in REPLICA_LOGS.names
        if len({row[name] for row in found}) == 1
    }
    assert shared == {
        "broker": 3, "topic": "orders", "partition": 2, "leader_epoch": 4, "is_control": False,
        "magic": 2, "segment": "00000000000000000005.log", "position": 61, "problem": None,
    }  # fmt: skip


def test_what_cannot_be_read_is_a_row_at_its_first_offset() -> None:
    sound = Stretch(batch=batch(), records=[Record(5, None, None, OURS)])
    damaged = Stretch(batch=batch(), problem="cut off", offset=6, last_offset=9, crc_ok=False)

    first, second = rows(sound, damaged)

    assert (first["value"], first["problem"]) == (7, None)
    assert (second["offset"], second["value"], second["checksum"]) == (6, None, None)
    assert second["problem"] == "cut off"


def test_a_marker_has_neither_value_nor_checksum() -> None:
    (row,) = rows(Stretch(batch=batch(is_control=True), records=[Record(5, None, b"k", OURS)]))

    assert (row["value"], row["checksum"], row["is_control"]) == (None, None, True)


def test_equal_records_have_one_digest() -> None:
    assert digest(OURS) == digest(OURS, b"")
    assert digest(OURS, b"key") == digest(OURS, b"key")
    assert digest(None) == digest(b"")


@pytest.mark.parametrize(
    "other",
    [
        digest(encoder(64)(8)[0]),
        digest(OURS, b"k"),
        digest(OURS, b"l"),
        digest(OURS[1:], OURS[:1]),
        digest(OURS, is_control=True),
        digest(OURS, b"k", is_control=True),
    ],
)
def test_other_records_have_other_digests(other: int) -> None:
    assert other != digest(OURS)


def test_keys_and_control_tell_records_apart_by_more_than_half_a_digest() -> None:
    apart = [digest(OURS, key, is_control=mark) for key in (b"k", b"l") for mark in (True, False)]

    assert len(set(apart)) == len({each & 0xFFFFFFFF for each in apart}) == 4
