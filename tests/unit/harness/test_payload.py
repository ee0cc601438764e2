"""A payload knows who it is, and notices any damage."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from highwater.harness.workloads.encoding import Encoder
from highwater.harness.workloads.examining import FEW, examine_all, values_of
from highwater.harness.workloads.payload import (
    SMALLEST_BYTES,
    Values,
    encoder,
    examine,
    value_of,
)

VALUES = st.integers(0, (1 << 63) - 1)
SIZES = st.integers(0, 300)


def identify(payload: bytes) -> int | None:
    return examine(payload)[0]


@given(value=VALUES, size_bytes=SIZES)
def test_a_payload_is_as_long_as_asked_and_keeps_its_identity(value: int, size_bytes: int) -> None:
    payload, whole = encoder(size_bytes)(value)

    assert identify(payload) == value_of(payload) == value
    assert whole == examine(payload)[1]
    assert len(payload) == max(size_bytes, SMALLEST_BYTES)


@given(first=VALUES, count=st.integers(1, 2_500), size_bytes=SIZES)
@example(first=998, count=1_004, size_bytes=100)
@example(first=0, count=FEW, size_bytes=0)
@example(first=(1 << 63) - 20, count=20, size_bytes=39)
def test_many_made_at_once_are_what_each_is_by_itself(
    first: int, count: int, size_bytes: int
) -> None:
    encode = encoder(size_bytes)
    values = range(first, first + count)

    contents, checksums = Encoder(size_bytes).all(values)

    assert list(zip(contents, checksums.tolist(), strict=True)) == [encode(each) for each in values]
    small = [each for each in values if each < 10**18]
    assert values_of(contents[: len(small)]).tolist() == small


@given(value=VALUES, size_bytes=SIZES, data=st.data())
def test_a_payload_with_one_changed_byte_is_nobody(
    value: int, size_bytes: int, data: st.DataObject
) -> None:
    payload = bytearray(encoder(size_bytes)(value)[0])
    place = data.draw(st.integers(0, len(payload) - 1))
    payload[place] ^= data.draw(st.integers(1, 255))

    assert identify(bytes(payload)) is None


@given(value=VALUES, size_bytes=SIZES, data=st.data())
def test_a_payload_that_was_cut_or_lengthened_is_nobody(
    value: int, size_bytes: int, data: st.DataObject
) -> None:
    payload, _ = encoder(size_bytes)(value)
    kept = data.draw(st.integers(0, len(payload) - 1))

    assert identify(payload[:kept]) is None
    assert identify(payload + b"x") is None


@given(st.binary(max_size=200))
def test_what_is_not_ours_is_nobody(foreign: bytes) -> None:
    assert identify(foreign) is None


@pytest.mark.parametrize("value", [b"", b"highwater:"])
def test_nothing_and_next_to_nothing_is_nobody(value: bytes) -> None:
    assert examine(value) == (None, zlib.crc32(value))


def test_an_identity_for_which_the_tables_have_no_room_is_nobody() -> None:
    payload, _ = encoder(64)(1 << 63)

    assert examine(payload) == (None, zlib.crc32(payload))


def test_an_identity_that_is_no_number_is_nobody() -> None:
    body = b"highwater:" + b"x" * 20 + b":"

    assert identify(body + b"%08x" % zlib.crc32(body)) is None


def test_the_checksum_is_that_of_the_whole_payload() -> None:
    payload, whole = encoder(64)(7)

    assert whole == examine(payload)[1] == zlib.crc32(payload)
    assert whole != encoder(64)(8)[1]


def test_two_clients_never_send_the_same_value() -> None:
    values = Values()

    taken = [values.take(3), values.take(2)]

    assert taken == [range(1, 4), range(4, 6)]


def told(payloads: list[bytes]) -> list[tuple[int | None, int]]:
    columns = zip(*(column.tolist() for column in examine_all(payloads)), strict=True)
    return [(None if foreign else value, checksum) for value, foreign, checksum in columns]


@given(
    numbers=st.lists(VALUES | st.integers(0, 1 << 64), min_size=FEW, max_size=40),
    size_bytes=SIZES,
    data=st.data(),
)
def test_many_payloads_are_looked_into_at_once_and_say_the_same(
    numbers: list[int], size_bytes: int, data: st.DataObject
) -> None:
    """Some of them damaged, in one byte that may be any."""
    payloads = [bytearray(encoder(size_bytes)(number % 10**20)[0]) for number in numbers]
    for place in data.draw(st.sets(st.integers(0, len(payloads) - 1))):
        byte = data.draw(st.integers(0, len(payloads[place]) - 1))
        payloads[place][byte] ^= data.draw(st.integers(0, 255))
    contents = [bytes(each) for each in payloads]

    assert told(contents) == [examine(each) for each in contents]


@given(foreign=st.lists(st.binary(max_size=80), max_size=20), size_bytes=SIZES)
def test_payloads_of_many_sizes_and_none_of_ours_say_the_same(
    foreign: list[bytes], size_bytes: int
) -> None:
    contents = [*foreign, *(encoder(size_bytes)(value)[0] for value in range(12)), *foreign]

    assert told(contents) == [examine(each) for each in contents]
    assert told(foreign) == [examine(each) for each in foreign]


def test_ends_that_are_no_checksum_in_small_letters_are_nobody() -> None:
    ours = [encoder(64)(value)[0] for value in range(40)]

    assert told([each.upper() for each in ours]) == [(None, zlib.crc32(e.upper())) for e in ours]
    loud = [each[:-8] + each[-8:].upper() for each in ours]
    assert told(loud) == [examine(each) for each in loud]
