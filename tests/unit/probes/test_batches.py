import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from kafka.record import MemoryRecords

from highwater.harness.probes.batches import Batch, read_batches

Bytes = Callable[..., bytes]
Writer = Callable[..., Path]
FIRST_TIMESTAMP_MS = 1_500_000_000_000


def _only(path: Path) -> Batch:
    (found,) = read_batches(path)
    return found


def test_a_magic_2_batch_shows_every_field_of_its_header(
    segment: Writer, batch: Bytes, dialect: str
) -> None:
    pairs = [(b"k", b"v" * 100)] * 3
    data = batch(
        pairs, base_offset=40, leader_epoch=7, dialect=dialect, attributes=0x10, producer=(9, 2, 5)
    )

    path = segment(data, base_offset=40)

    assert _only(path) == Batch(
        path=path,
        position=0,
        size_bytes=len(data),
        base_offset=40,
        last_offset=42,
        magic=2,
        codec=dialect.partition("-")[0],
        crc_ok=True,
        leader_epoch=7,
        producer_id=9,
        producer_epoch=2,
        base_sequence=5,
        is_transactional=True,
        max_timestamp_ms=FIRST_TIMESTAMP_MS + 2,
    )


def test_a_field_that_holds_minus_one_is_none(segment: Writer, batch: Bytes) -> None:
    found = _only(segment(batch([(None, b"v")], leader_epoch=-1)))

    assert found.leader_epoch is None
    assert (found.producer_id, found.producer_epoch, found.base_sequence) == (None, None, None)


def test_a_control_batch_is_told_from_data(segment: Writer, batch: Bytes) -> None:
    marker = batch([(b"\x00\x00\x00\x01", bytes(6))], attributes=0x30, producer=(9, 2, 0))

    found = _only(segment(marker))

    assert (found.is_control, found.is_transactional) == (True, True)


def test_positions_add_up_to_the_file(segment: Writer, batch: Bytes) -> None:
    path = segment(*[batch([(b"k", b"v" * size)], base_offset=size) for size in range(5)])

    found = list(read_batches(path))

    ends = [entry.position + entry.size_bytes for entry in found]
    assert [entry.position for entry in found] == [0, *ends[:-1]]
    assert ends[-1] == path.stat().st_size


@pytest.mark.parametrize("magic", [0, 1])
def test_every_plain_legacy_message_is_a_batch_of_one(
    segment: Writer, messages: Bytes, magic: int
) -> None:
    path = segment(messages([(b"k", b"a"), (None, b"b")], magic=magic, offset=6))

    found = list(read_batches(path))

    assert [(entry.base_offset, entry.last_offset) for entry in found] == [(6, 6), (7, 7)]
    assert {(entry.magic, entry.codec, entry.crc_ok) for entry in found} == {(magic, "none", True)}
    assert {entry.leader_epoch for entry in found} == {None}


def test_a_magic_1_wrapper_bears_the_offset_of_its_last_message(
    segment: Writer, messages: Bytes, wrapper: Bytes
) -> None:
    inner = messages([(None, b"a"), (None, b"b"), (None, b"c")], magic=1, offset=0)

    found = _only(segment(wrapper(inner, magic=1, offset=12)))

    assert (found.base_offset, found.last_offset, found.codec) == (10, 12, "gzip")


def test_a_magic_0_wrapper_holds_absolute_offsets(
    segment: Writer, messages: Bytes, wrapper: Bytes
) -> None:
    inner = messages([(None, b"a"), (None, b"b")], magic=0, offset=11)

    found = _only(segment(wrapper(inner, magic=0, offset=12)))

    assert (found.base_offset, found.last_offset) == (11, 12)


@pytest.mark.parametrize("at", [*range(17, 61), 61, 70, -1])
def test_a_flipped_bit_that_the_crc_covers_is_seen_and_the_next_batch_is_read(
    segment: Writer, batch: Bytes, at: int
) -> None:
    damaged = bytearray(batch([(b"key", b"value" * 5)]))
    damaged[at] ^= 0x01
    path = segment(damaged, batch([(None, b"v")], base_offset=1))

    found = list(read_batches(path))

    assert [entry.crc_ok for entry in found] == [False, True]
    assert "CRC of the entry at byte 0" in str(found[0].problem)
    assert not MemoryRecords(bytes(damaged)).next_batch().validate_crc()


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("at", [12, 15, 17, 18, -1])
def test_a_flipped_bit_in_a_legacy_message_is_seen(
    segment: Writer, messages: Bytes, magic: int, at: int
) -> None:
    damaged = bytearray(messages([(b"key", b"value")], magic=magic))
    damaged[at] ^= 0x01
    path = segment(damaged, messages([(None, b"v")], magic=magic, offset=1))

    assert [entry.crc_ok for entry in read_batches(path)] == [False, True]


def test_a_leader_epoch_may_differ_between_replicas_under_the_same_crc(
    segment: Writer, batch: Bytes
) -> None:
    first = batch([(None, b"v")], leader_epoch=4)
    second = batch([(None, b"v")], leader_epoch=5)

    found = list(read_batches(segment(first, second)))

    assert [(entry.leader_epoch, entry.crc_ok) for entry in found] == [(4, True), (5, True)]
    assert first[17:] == second[17:]


def test_an_unknown_magic_is_a_problem_of_that_entry_only(segment: Writer, batch: Bytes) -> None:
    strange = bytearray(batch([(None, b"v")]))
    strange[16] = 77
    path = segment(strange, batch([(None, b"v")], base_offset=1))

    found = list(read_batches(path))

    assert [(entry.magic, entry.crc_ok) for entry in found] == [(77, False), (2, True)]
    assert "magic at byte 16 is 77" in str(found[0].problem)


def test_an_entry_too_short_for_its_magic_is_a_problem(segment: Writer, batch: Bytes) -> None:
    short = struct.pack(">qiib", 5, 20, 0, 2) + bytes(15)
    path = segment(short, batch([(None, b"v")], base_offset=6))

    found = list(read_batches(path))

    assert [entry.base_offset for entry in found] == [5, 6]
    assert "too few for the 61" in str(found[0].problem)


def test_a_wrapper_that_cannot_be_opened_keeps_its_own_offset(
    segment: Writer, wrapper: Bytes
) -> None:
    found = _only(segment(wrapper(b"not a message set", magic=1, offset=12)))

    assert (found.base_offset, found.last_offset, found.crc_ok) == (12, 12, True)
    assert "wrapper at byte 0" in str(found.problem)
