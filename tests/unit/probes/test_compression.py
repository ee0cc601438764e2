import contextlib
import struct
from collections.abc import Callable
from typing import Any

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwater.harness.probes.compression import codec_name, decompress, xxh32_short

DATA = b"in sync " * 500


def test_xxh32_is_the_published_one_for_short_input() -> None:
    assert xxh32_short(b"") == 0x02CC5D05
    assert xxh32_short(b"a") == 0x550D7456
    assert xxh32_short(b"abc") == 0x32D153FF


def test_an_lz4_frame_with_the_header_checksum_of_old_brokers_is_opened() -> None:
    frame = bytearray(bytes(cramjam.lz4.compress(DATA)))
    header_bytes = 6 + (8 if frame[4] & 0x08 else 0)
    old_checksum = xxh32_short(bytes(frame[:header_bytes])) >> 8 & 0xFF
    assert frame[header_bytes] == xxh32_short(bytes(frame[4:header_bytes])) >> 8 & 0xFF

    frame[header_bytes] = old_checksum

    assert decompress("lz4", memoryview(frame)) == DATA


def test_an_lz4_frame_that_names_its_content_size_is_opened_in_spite_of_its_header_checksum() -> (
    None
):
    block = bytes(cramjam.lz4.compress_block(DATA, store_size=False))
    header = b"\x04\x22\x4d\x18" + bytes([0x68, 0x40]) + struct.pack("<Q", len(DATA))
    frame = header + b"\x00" + struct.pack("<I", len(block)) + block + bytes(4)

    assert decompress("lz4", memoryview(frame)) == DATA


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
@given(data=st.binary(max_size=200))
def test_what_cannot_be_opened_is_a_value_error_and_nothing_else(codec: str, data: bytes) -> None:
    starts = {
        "gzip": bytes.fromhex("1f8b0800000000000000"),
        "snappy": b"\x82SNAPPY\x00" + bytes(8),
        "lz4": bytes.fromhex("04224d18"),
        "zstd": bytes.fromhex("28b52ffd"),
    }
    with contextlib.suppress(ValueError):
        decompress(codec, memoryview(data))
    with contextlib.suppress(ValueError):
        decompress(codec, memoryview(starts[codec] + data))


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_torn_payload_is_refused_rather_than_shortened(codec: str) -> None:
    compressors: dict[str, Callable[[bytes], Any]] = {
        "gzip": cramjam.gzip.compress,
        "snappy": cramjam.snappy.compress_raw,
        "lz4": cramjam.lz4.compress,
        "zstd": cramjam.zstd.compress,
    }
    whole = bytes(compressors[codec](DATA))

    with pytest.raises(ValueError, match=codec):
        decompress(codec, memoryview(whole[:-1]))


def test_a_torn_xerial_block_is_refused() -> None:
    block = bytes(cramjam.snappy.compress_raw(DATA))
    framed = b"\x82SNAPPY\x00" + struct.pack(">iii", 1, 1, len(block)) + block

    assert decompress("snappy", memoryview(framed)) == DATA
    with pytest.raises(ValueError, match="snappy block"):
        decompress("snappy", memoryview(framed[:-1]))


def test_codecs_have_the_names_of_compression_type() -> None:
    assert [codec_name(number) for number in range(5)] == ["none", "gzip", "snappy", "lz4", "zstd"]
    assert codec_name(0x38 | 3) == "lz4"
