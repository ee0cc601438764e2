import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafka.record import MemoryRecords
from kafka.record.util import calc_crc32c
from tests.unit.probes.one_by_one import read_records, read_segment_records

Bytes = Callable[..., bytes]
Writer = Callable[..., Path]
FIRST_TIMESTAMP_MS = 1_500_000_000_000
PAIRS = [(b"k1", b"v" * 300), (None, b""), (b"", None), (b"k4", "\u00fc".encode() * 90)]
OPTIONAL_BYTES = st.none() | st.binary(max_size=200)

shared_directory = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _seen(partition_dir: Path) -> list[tuple[int, bytes | None, bytes | None]]:
    return [(record.offset, record.key, record.value) for record in read_records(partition_dir)]


def _expected(pairs: list[tuple[bytes | None, bytes | None]], offset: int) -> list[object]:
    return [(offset + number, key, value) for number, (key, value) in enumerate(pairs)]


def test_records_of_magic_2_come_back_byte_for_byte_in_every_codec(
    segment: Writer, batch: Bytes, partition_dir: Path, dialect: str
) -> None:
    segment(batch(PAIRS, base_offset=20, leader_epoch=6, dialect=dialect, producer=(9, 0, 0)))

    records = list(read_records(partition_dir))

    assert _seen(partition_dir) == _expected(PAIRS, 20)
    assert [record.timestamp_ms for record in records] == [
        FIRST_TIMESTAMP_MS + number for number in range(4)
    ]
    assert {(record.batch.leader_epoch, record.batch.producer_id) for record in records} == {(6, 9)}
    assert all(record.crc_ok and record.problem is None for record in records)


@pytest.mark.parametrize("magic", [0, 1])
def test_plain_legacy_messages_come_back_byte_for_byte(
    segment: Writer, messages: Bytes, partition_dir: Path, magic: int
) -> None:
    segment(messages(PAIRS, magic=magic, offset=3))

    records = list(read_records(partition_dir))

    assert _seen(partition_dir) == _expected(PAIRS, 3)
    assert records[1].timestamp_ms == (FIRST_TIMESTAMP_MS + 1 if magic == 1 else None)
    assert records[1].batch.position > 0


@pytest.mark.parametrize("dialect", ["gzip", "snappy", "snappy-raw", "lz4"])
@pytest.mark.parametrize("magic", [0, 1])
def test_messages_in_a_wrapper_come_back_with_absolute_offsets(
    segment: Writer, messages: Bytes, wrapper: Bytes, magic: int, dialect: str
) -> None:
    inner = messages(PAIRS, magic=magic, offset=0 if magic == 1 else 30)
    path = segment(wrapper(inner, magic=magic, offset=33, dialect=dialect))

    assert _seen(path.parent) == _expected(PAIRS, 30)
    assert {record.batch.position for record in read_records(path.parent)} == {0}


def test_holes_that_compaction_left_in_a_wrapper_stay_holes(
    segment: Writer, messages: Bytes, wrapper: Bytes, partition_dir: Path
) -> None:
    inner = messages([(b"a", b"1")], magic=1, offset=1) + messages(
        [(b"b", b"2")], magic=1, offset=4
    )
    segment(wrapper(inner, magic=1, offset=104))

    assert _seen(partition_dir) == [(101, b"a", b"1"), (104, b"b", b"2")]


@pytest.mark.parametrize(("attributes", "timestamp_ms"), [(0x08, 500), (0x00, 0)])
def test_log_append_time_of_a_wrapper_overrides_its_messages(
    segment: Writer, messages: Bytes, wrapper: Bytes, attributes: int, timestamp_ms: int
) -> None:
    inner = messages([(None, b"v")], magic=1)
    path = segment(wrapper(inner, magic=1, offset=0, attributes=attributes))

    (record,) = read_segment_records(path)

    assert record.timestamp_ms == FIRST_TIMESTAMP_MS + timestamp_ms


def test_log_append_time_of_a_batch_overrides_its_records(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    segment(batch([(None, b"a"), (None, b"b")], attributes=0x08))

    times = [record.timestamp_ms for record in read_records(partition_dir)]

    assert times == [FIRST_TIMESTAMP_MS + 1] * 2


def test_formats_may_change_within_one_log(
    segment: Writer, messages: Bytes, wrapper: Bytes, batch: Bytes, partition_dir: Path
) -> None:
    segment(
        messages([(None, b"a")], magic=0),
        wrapper(messages([(None, b"b")], magic=1), magic=1, offset=1),
        batch([(None, b"c")], base_offset=2),
    )
    segment(batch([(None, b"d")], base_offset=3), base_offset=3)

    assert [(record.batch.magic, record.value) for record in read_records(partition_dir)] == [
        (0, b"a"),
        (1, b"b"),
        (2, b"c"),
        (2, b"d"),
    ]


def test_control_records_are_marked(segment: Writer, batch: Bytes, partition_dir: Path) -> None:
    segment(batch([(b"\x00\x00\x00\x01", bytes(6))], attributes=0x30, producer=(9, 2, 0)))

    (record,) = read_records(partition_dir)

    assert (record.batch.is_control, record.batch.producer_id, record.key) == (
        True,
        9,
        b"\x00\x00\x00\x01",
    )


def test_a_batch_that_compaction_emptied_has_no_record(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    segment(batch([], base_offset=4), batch([(None, b"v")], base_offset=5))

    assert _seen(partition_dir) == [(5, None, b"v")]


def test_a_batch_with_a_wrong_crc_is_one_damaged_span(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    damaged = bytearray(batch([(None, b"a"), (None, b"b")], base_offset=5, leader_epoch=2))
    damaged[-3] ^= 0x40
    path = segment(damaged, batch([(None, b"c")], base_offset=7))

    first, second = read_records(partition_dir)

    assert (first.batch.path, first.batch.position) == (path, 0)
    assert (first.offset, first.last_offset, first.batch.leader_epoch) == (5, 6, 2)
    assert (first.value, first.crc_ok) == (None, False)
    assert first.problem == f"CRC of the entry at byte 0 does not match its {len(damaged)} bytes"
    assert (second.offset, second.value) == (7, b"c")


def test_a_message_with_a_wrong_crc_inside_a_sound_wrapper_is_the_only_one_lost(
    segment: Writer, messages: Bytes, wrapper: Bytes, partition_dir: Path
) -> None:
    inner = bytearray(messages([(None, b"aa"), (None, b"bb"), (None, b"cc")], magic=1))
    inner[inner.index(b"bb")] ^= 0x01
    segment(wrapper(bytes(inner), magic=1, offset=12))

    records = list(read_records(partition_dir))

    assert [(record.offset, record.last_offset) for record in records] == [
        (10, 10),
        (11, 11),
        (12, 12),
    ]
    assert [record.value for record in records] == [b"aa", None, b"cc"]
    assert [record.crc_ok for record in records] == [True, False, True]


def test_a_wrapper_within_a_wrapper_is_a_problem(
    segment: Writer, messages: Bytes, wrapper: Bytes, partition_dir: Path
) -> None:
    nested = wrapper(messages([(None, b"v")], magic=1), magic=1, offset=0)
    segment(wrapper(nested, magic=1, offset=0))

    (record,) = read_records(partition_dir)

    assert "holds another wrapper" in str(record.problem)
    assert record.crc_ok


@pytest.mark.parametrize(
    ("dialect", "payload", "problem"),
    [
        ("gzip", b"not gzip", "gzip cannot open 8 bytes"),
        ("lz4", b"not lz4 at all", "no lz4 frame"),
        ("zstd", b"not zstd", "zstd cannot open 8 bytes"),
        ("future", b"", "unknown(6)"),
    ],
)
def test_a_payload_under_a_right_crc_that_cannot_be_opened_is_a_damaged_span(
    segment: Writer, batch: Bytes, dialect: str, payload: bytes, problem: str
) -> None:
    path = segment(_with_payload(batch([(None, b"v")] * 3, dialect=dialect), payload))

    (record,) = read_segment_records(path)

    assert (record.offset, record.last_offset, record.crc_ok) == (0, 2, True)
    assert problem in str(record.problem)


def test_records_before_an_unreadable_one_are_kept(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    sound = batch([(None, b"a"), (None, b"b"), (None, b"c")])
    first_record_bytes = (sound[61] >> 1) + 1
    segment(_with_payload(sound, sound[61 : 61 + first_record_bytes] + b"\xff" * 12))

    records = list(read_records(partition_dir))

    assert [(record.offset, record.last_offset) for record in records] == [(0, 0), (1, 2)]
    assert [record.value for record in records] == [b"a", None]
    assert "varint" in str(records[1].problem)


def test_bytes_behind_the_last_record_are_a_problem(
    segment: Writer, batch: Bytes, partition_dir: Path
) -> None:
    sound = batch([(None, b"a")])
    segment(_with_payload(sound, sound[61:] + b"more"))

    records = list(read_records(partition_dir))

    assert [record.value for record in records] == [b"a", None]
    assert "4 bytes follow the last of 1 records" in str(records[1].problem)


@shared_directory
@given(pairs=st.lists(st.tuples(OPTIONAL_BYTES, OPTIONAL_BYTES), min_size=1, max_size=8))
def test_any_records_agree_with_kafka_python(
    segment: Writer, batch: Bytes, pairs: list[tuple[bytes | None, bytes | None]]
) -> None:
    data = batch(pairs, base_offset=1 << 40)
    theirs = [(r.offset, r.timestamp, r.key, r.value) for r in MemoryRecords(data).next_batch()]

    ours = [
        (record.offset, record.timestamp_ms, record.key, record.value)
        for record in read_segment_records(segment(data))
    ]

    assert ours == theirs


@shared_directory
@given(data=st.data())
def test_no_single_damaged_byte_raises_or_hides_the_batches_before_it(
    segment: Writer, batch: Bytes, messages: Bytes, wrapper: Bytes, data: st.DataObject
) -> None:
    entries = [
        batch([(b"k", b"v" * 30)], dialect=data.draw(st.sampled_from(["none", "lz4", "zstd"]))),
        wrapper(messages([(None, b"w")], magic=1), magic=1, offset=1),
        batch([(None, b"x")], base_offset=2),
    ]
    damaged = bytearray(b"".join(entries))
    at = data.draw(st.integers(0, len(damaged) - 1))
    damaged[at] ^= data.draw(st.integers(1, 255))
    intact = sum(at >= sum(map(len, entries[: count + 1])) for count in range(3))

    records = list(read_segment_records(segment(damaged)))

    assert [record.offset for record in records[:intact]] == list(range(intact))
    assert all(record.problem is None for record in records[:intact])


@shared_directory
@given(garbage=st.binary(max_size=300), seed=st.integers(0, 99))
def test_garbage_under_right_checksums_never_raises(
    segment: Writer, wrapper: Bytes, batch: Bytes, garbage: bytes, seed: int
) -> None:
    codec = random.Random(seed).choice([0, 1, 2, 3, 4])
    strange = _with_payload(batch([(None, b"v")] * 3, attributes=codec), garbage)
    path = segment(
        strange, wrapper(garbage, magic=1, offset=3), wrapper(garbage, magic=0, offset=4)
    )

    records = list(read_segment_records(path))

    assert records[0].offset == 0
    assert records[-1].batch.position > len(strange)


def _with_payload(batch: bytes, payload: bytes) -> bytes:
    """The batch with other bytes for records, and a length and a CRC that fit."""
    changed = bytearray(batch[:61] + payload)
    struct.pack_into(">i", changed, 8, len(changed) - 12)
    struct.pack_into(">I", changed, 17, calc_crc32c(bytes(changed[21:])))
    return bytes(changed)
