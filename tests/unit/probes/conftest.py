"""Builders of log bytes that share no code with the probes: kafka-python, plus its own CRC32C."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import cramjam
import pytest
from kafka.record import MemoryRecordsBuilder
from kafka.record.util import calc_crc32c

Pair = tuple[bytes | None, bytes | None]
FIRST_TIMESTAMP_MS = 1_500_000_000_000


def _xerial(data: bytes, block_bytes: int = 16) -> bytes:
    framed = bytearray(b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1))
    for at in range(0, len(data), block_bytes):
        block = bytes(cramjam.snappy.compress_raw(data[at : at + block_bytes]))
        framed += struct.pack(">i", len(block)) + block
    return bytes(framed)


def _zstd_of_unknown_size(data: bytes) -> bytes:
    compressor = cramjam.zstd.Compressor()
    compressor.compress(data)
    return bytes(compressor.finish())


DIALECTS: dict[str, tuple[int, Callable[[bytes], bytes]]] = {
    "none": (0, bytes),
    "gzip": (1, gzip.compress),
    "snappy": (2, _xerial),
    "snappy-raw": (2, lambda data: bytes(cramjam.snappy.compress_raw(data))),
    "lz4": (3, lambda data: bytes(cramjam.lz4.compress(data))),
    "zstd": (4, lambda data: bytes(cramjam.zstd.compress(data))),
    "zstd-streamed": (4, _zstd_of_unknown_size),
    "future": (6, bytes),
}


def _seal(batch: bytearray) -> bytes:
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    struct.pack_into(">I", batch, 17, calc_crc32c(bytes(batch[21:])))
    return bytes(batch)


def build_batch(
    pairs: Sequence[Pair],
    *,
    base_offset: int = 0,
    leader_epoch: int = 0,
    dialect: str = "none",
    attributes: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
) -> bytes:
    """A magic 2 batch; `producer` is id, epoch and base sequence."""
    builder = MemoryRecordsBuilder(2, 0, 1 << 20, 0, False, *producer)
    for number, (key, value) in enumerate(pairs):
        builder.append(FIRST_TIMESTAMP_MS + number, key, value, [("header", b"h")])
    builder.close()
    plain = bytes(builder.buffer())
    codec, compress = DIALECTS[dialect]
    batch = bytearray(plain[:61] + compress(plain[61:]))
    struct.pack_into(">q", batch, 0, base_offset)
    struct.pack_into(">i", batch, 12, leader_epoch)
    struct.pack_into(">h", batch, 21, codec | attributes)
    return _seal(batch)


def build_messages(pairs: Sequence[Pair], *, magic: int, offset: int = 0) -> bytes:
    """Plain messages of magic 0 or 1, with consecutive offsets."""
    builder = MemoryRecordsBuilder(magic, 0, 1 << 20, offset)
    for number, (key, value) in enumerate(pairs):
        builder.append(FIRST_TIMESTAMP_MS + number if magic == 1 else None, key, value)
    builder.close()
    return bytes(builder.buffer())


def build_wrapper(
    inner: bytes, *, magic: int, offset: int, dialect: str = "gzip", attributes: int = 0
) -> bytes:
    """A compressed message by hand, around `inner` messages."""
    codec, compress = DIALECTS[dialect]
    value = compress(inner)
    fields = struct.pack(">bb", magic, codec | attributes)
    fields += struct.pack(">q", FIRST_TIMESTAMP_MS + 500) if magic == 1 else b""
    fields += struct.pack(">ii", -1, len(value)) + value
    return struct.pack(">qiI", offset, len(fields) + 4, zlib.crc32(fields)) + fields


@pytest.fixture
def batch() -> Callable[..., bytes]:
    return build_batch


@pytest.fixture
def messages() -> Callable[..., bytes]:
    return build_messages


@pytest.fixture
def wrapper() -> Callable[..., bytes]:
    return build_wrapper


@pytest.fixture(params=[name for name in DIALECTS if name != "future"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def partition_dir(tmp_path: Path) -> Path:
    path = tmp_path / "orders-0"
    path.mkdir()
    return path


@pytest.fixture
def segment(partition_dir: Path) -> Callable[..., Path]:
    def write(*entries: bytes, base_offset: int = 0) -> Path:
        path = partition_dir / f"{base_offset:020d}.log"
        path.write_bytes(b"".join(entries))
        return path

    return write
