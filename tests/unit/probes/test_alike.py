"""Records that are alike are read in columns, and are what they are when read one by one."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record.util import calc_crc32c
from tests.unit.probes.conftest import Pair, build_batch

from highwater.harness.gate.batch_header import read_header
from highwater.harness.probes.alike import FEW, STRETCHES, Alike, read_alike
from highwater.harness.probes.batch_format import (
    Record,
    read_batch_records,
)

MANY = 3 * FEW


def in_columns(batch: bytes) -> Alike | None:
    return read_alike(read_header(memoryview(batch)), memoryview(batch))


def one_by_one(batch: bytes) -> list[Record]:
    return list(read_batch_records(read_header(memoryview(batch)), memoryview(batch)))


def same(alike: Alike | None, records: Sequence[Record]) -> bool:
    """Whether columns are there, and say the same."""
    return alike is not None and (alike.offsets.tolist(), alike.values, alike.keys) == (
        [record.offset for record in records],
        [record.value for record in records],
        [record.key for record in records],
    )


def values(*sizes: int) -> list[Pair]:
    return [(None, bytes([number % 251]) * size) for number, size in enumerate(sizes)]


@pytest.mark.parametrize("count", [FEW, 64, 65, 1_000, 9_000])
def test_records_of_one_size_are_read_in_columns(count: int, dialect: str) -> None:
    """Their numbers take more and more bytes on the way."""
    if dialect == "future":
        pytest.skip("nobody can read that codec")
    batch = build_batch(values(*[100] * count), base_offset=70, dialect=dialect)

    assert same(in_columns(batch), one_by_one(batch))


def test_records_of_some_sizes_are_read_in_columns() -> None:
    batch = build_batch(values(*[100] * MANY, *[0] * MANY, *[300] * MANY, *[7] * MANY))

    assert same(in_columns(batch), one_by_one(batch))


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([(b"%03d" % at, b"v" * 20) for at in range(MANY)], id="of one size"),
        pytest.param([(b"%d" % at, b"v" * 20) for at in range(20 * MANY)], id="of three"),
        pytest.param([*values(*[9] * MANY), (b"k", b"v")], id="one"),
        pytest.param([*values(*[9] * MANY), (b"", b"v"), (b"", b"w")], id="empty ones"),
        pytest.param([(b"k" * 300, b"v")] * MANY, id="long ones"),
    ],
)
def test_keys_are_read_in_columns(pairs: list[Pair]) -> None:
    batch = build_batch(pairs)

    assert same(in_columns(batch), one_by_one(batch))


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(values(*[100] * (FEW - 1)), id="few"),
        pytest.param(values(*range(1, 4 * STRETCHES)), id="no two of a size"),
        pytest.param([*values(*[9] * MANY), (None, None)], id="no value"),
    ],
)
def test_others_are_left_to_be_read_one_by_one(pairs: list[Pair]) -> None:
    assert in_columns(build_batch(pairs)) is None


def test_markers_are_left_as_well() -> None:
    assert in_columns(build_batch(values(*[9] * MANY), attributes=0x20)) is None


PAIRS = st.tuples(
    st.none() | st.just(b"k"), st.binary(min_size=20, max_size=20) | st.binary(max_size=40)
)


@given(pairs=st.lists(PAIRS, min_size=1, max_size=80), offset=st.integers(0, 1 << 60))
def test_whatever_is_read_in_columns_is_the_same(pairs: list[Pair], offset: int) -> None:
    batch = build_batch(pairs, base_offset=offset)

    assert same(in_columns(batch), one_by_one(batch)) or in_columns(batch) is None


@given(
    place=st.integers(61, 61 + 30 * MANY - 1),
    byte=st.integers(0, 255),
    count=st.integers(MANY - 1, MANY + 1),
)
def test_a_damaged_batch_is_never_more_than_what_can_be_read_one_by_one(
    place: int, byte: int, count: int
) -> None:
    changed = bytearray(build_batch(values(*[17] * MANY)))
    changed[min(place, len(changed) - 1)] = byte
    struct.pack_into(">i", changed, 57, count)
    struct.pack_into(">I", changed, 17, calc_crc32c(bytes(changed[21:])))

    try:
        records = one_by_one(bytes(changed))
    except ValueError:
        assert in_columns(bytes(changed)) is None
    else:
        columns = in_columns(bytes(changed))
        assert columns is None or same(columns, records)


@pytest.mark.parametrize("offset", [(1 << 63) - 1, (1 << 63) - MANY + 1])
def test_offsets_beyond_all_offsets_are_left(offset: int) -> None:
    batch = bytearray(build_batch(values(*[17] * MANY)))
    struct.pack_into(">q", batch, 0, offset)  # which no CRC covers

    assert in_columns(bytes(batch)) is None


def test_the_last_offsets_of_all_are_read() -> None:
    batch = bytearray(build_batch(values(*[17] * MANY)))
    struct.pack_into(">q", batch, 0, (1 << 63) - MANY)

    assert same(in_columns(bytes(batch)), one_by_one(bytes(batch)))
