"""Rows of replicas' logs: what is in each column, and what may tell two records apart."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.probes.conftest import Pair, build_batch, build_messages

from highwater.harness.model import TopicPartition
from highwater.harness.probes.segments import Entry
from highwater.harness.replica_logs import Logs
from highwater.harness.tables import NO_KEY, REPLICA_LOGS
from highwater.harness.workloads.payload import encoder

WHERE = TopicPartition("orders", 2)
OURS, CHECKSUM = encoder(64)(7)
CONTROL = 0x20
Row = dict[str, Any]


def entry(data: bytes, position: int = 61, segment: int = 5) -> Entry:
    return Entry(Path(f"/somewhere/{segment:020d}.log"), position, len(data), data)


def rows(*entries: Entry, broker: int = 3) -> list[Row]:
    logs = Logs({})
    for each in entries:
        logs.add(broker, WHERE, each)
    return taken(logs)


def taken(logs: Logs) -> list[Row]:
    count, table = len(logs), logs.take()
    assert len(logs) == len(logs.take()) == 0
    assert table.schema == REPLICA_LOGS
    found: list[Row] = table.to_pylist()
    assert len(found) == count
    return found


def digest(value: bytes | None, key: bytes | None = None, *, is_control: bool = False) -> int:
    batch = build_batch([(key, value)], attributes=CONTROL if is_control else 0)
    (row,) = rows(entry(batch))
    return int(row["digest"])


def damaged(pairs: Sequence[Pair], offset: int) -> bytes:
    batch = bytearray(build_batch(pairs, base_offset=offset))
    batch[-3] ^= 1
    return bytes(batch)


def test_a_record_of_ours_is_known_by_its_value() -> None:
    pairs: list[Pair] = [(None, OURS), (None, b"foreign"), (b"", None)]

    found = rows(entry(build_batch(pairs, base_offset=5, leader_epoch=4)))

    assert [(row["offset"], row["value"], row["checksum"]) for row in found] == [
        (5, 7, CHECKSUM),
        (6, None, zlib.crc32(b"foreign")),
        (7, None, None),
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


def test_keys_are_told_apart_from_none_whichever_way_records_are_read() -> None:
    keys = [None, b"", b"key-1", b"key-2"]
    pairs: list[Pair] = [(key, encoder(64)(value)[0]) for value, key in enumerate(keys)]
    told = [NO_KEY, 0, zlib.crc32(b"key-1"), zlib.crc32(b"key-2")]

    one_by_one = rows(
        *(entry(build_batch([pair], base_offset=at)) for at, pair in enumerate(pairs))
    )
    old = rows(*(entry(build_messages([pair], magic=1, offset=0)) for pair in pairs))
    in_columns = rows(entry(build_batch([pair for pair in pairs for _ in range(20)])))

    assert [row["key"] for row in one_by_one] == told
    assert [row["key"] for row in old] == told
    assert [row["key"] for row in in_columns] == [key for key in told for _ in range(20)]
    assert [row["digest"] for row in in_columns[::20]] == [row["digest"] for row in one_by_one]


def test_what_cannot_be_read_is_a_row_at_its_first_offset() -> None:
    sound = entry(build_batch([(None, OURS)], base_offset=5))

    first, second = rows(sound, entry(damaged([(None, OURS)] * 4, offset=6)))

    assert (first["value"], first["problem"]) == (7, None)
    assert (second["offset"], second["value"], second["checksum"]) == (6, None, None)
    assert "does not match" in second["problem"]


def test_a_marker_has_neither_value_nor_checksum() -> None:
    (row,) = rows(entry(build_batch([(b"k", OURS)], attributes=CONTROL)))

    assert (row["value"], row["checksum"], row["is_control"]) == (None, None, True)
    assert row["key"] is None


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


FIRST = build_batch([(None, OURS), (b"key", None)], base_offset=0, leader_epoch=1)
SECOND = build_batch([(None, b"foreign")], base_offset=2, leader_epoch=1)
OTHER = build_batch([(None, b"foreign")], base_offset=2, leader_epoch=2)
MARKER = build_batch([(b"k", b"v")], base_offset=3, attributes=CONTROL)
MANY = build_batch(
    [(None, encoder(64)(value)[0]) for value in range(30)] + [(None, b"foreign!" * 8)] * 2,
    base_offset=4,
)
OLD = build_messages([(None, OURS)], magic=1, offset=4)


@pytest.mark.parametrize(
    "of_each",
    [
        pytest.param([[FIRST, SECOND]] * 3, id="the same"),
        pytest.param([[FIRST, SECOND], [FIRST, OTHER], [FIRST, SECOND]], id="another epoch"),
        pytest.param([[FIRST, MARKER], [FIRST, MARKER], [FIRST]], id="one is shorter"),
        pytest.param([[damaged([(None, OURS)], 0)], [damaged([(None, OURS)], 0)]], id="damaged"),
        pytest.param([[MANY, FIRST], [MANY, FIRST], [FIRST, MANY]], id="in columns"),
        pytest.param([[OLD], [OLD], [FIRST]], id="an older format"),
    ],
)
def test_what_replicas_have_in_common_is_told_of_each(of_each: list[list[bytes]]) -> None:
    """As if each had been looked into by itself."""
    logs = Logs({})
    alone: list[Row] = []
    for at in range(2):
        for broker, entries in enumerate(of_each):
            if at < len(entries):
                here = entry(entries[at], position=100 * broker + at, segment=broker)
                logs.add(broker, WHERE, here)
                alone += rows(here, broker=broker)

    assert taken(logs) == alone
    assert alone


def test_what_has_been_taken_is_looked_into_again() -> None:
    logs = Logs({})
    for _ in range(2):
        logs.add(3, WHERE, entry(FIRST))
        assert [row["value"] for row in taken(logs)] == [7, None]


def test_records_that_are_read_in_columns_are_told_as_if_each_had_come_alone() -> None:
    contents = [encoder(64)(value)[0] for value in (*range(30), (1 << 63) - 1, 1 << 63)]
    contents += [b"foreign!" * 8, contents[0][:-1] + b"x", contents[3]]

    together = rows(entry(build_batch([(None, each) for each in contents])))

    alone = [
        rows(entry(build_batch([(None, each)], base_offset=offset)))[0]
        for offset, each in enumerate(contents)
    ]
    assert together == alone
    assert [row["value"] for row in together[29:]] == [29, (1 << 63) - 1, None, None, None, 3]
