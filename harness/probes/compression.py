"""Opens what producers and brokers compressed, in the dialects found in log files."""

from __future__ import annotations

import cramjam

CODECS = {0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
CODEC_MASK = 0x07

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER_BYTES = 16
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_XXH32_PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_U32 = 0xFFFFFFFF


def codec_name(attributes: int) -> str:
    number = attributes & CODEC_MASK
    return CODECS.get(number, f"unknown({number})")


def decompress(codec: str, data: memoryview) -> bytes:
    """Raises ValueError with the reason when the data cannot be opened."""
    if codec == "none":
        return bytes(data)
    opener = {"gzip": _gzip, "snappy": _snappy, "lz4": _lz4, "zstd": _zstd}.get(codec)
    if opener is None:
        raise ValueError(f"codec {codec} is not one of {', '.join(CODECS.values())}")
    try:
        return opener(data)
    except cramjam.DecompressionError as error:
        raise ValueError(f"{codec} cannot open {len(data)} bytes: {error}") from error


def _gzip(data: memoryview) -> bytes:
    return bytes(cramjam.gzip.decompress(data))


def _zstd(data: memoryview) -> bytes:
    return bytes(cramjam.zstd.decompress(data))


def _snappy(data: memoryview) -> bytes:
    """Raw snappy (librdkafka), or blocks behind a xerial header (Java)."""
    if bytes(data[: len(_XERIAL_MAGIC)]) != _XERIAL_MAGIC:
        return bytes(cramjam.snappy.decompress_raw(data))
    blocks = []
    at = _XERIAL_HEADER_BYTES
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        if size < 0 or size > len(data) - at:
            raise ValueError(f"snappy block at byte {at} claims {size} of {len(data) - at} bytes")
        blocks.append(bytes(cramjam.snappy.decompress_raw(data[at : at + size])))
        at += size
    return b"".join(blocks)


def _lz4(data: memoryview) -> bytes:
    """An LZ4 frame whose header checksum is put right first.

    Up to magic 0 Kafka computed that checksum over the frame magic as well (KIP-57), so a
    correct decoder refuses those frames. The CRC around the frame guards the bytes anyway.
    """
    if bytes(data[:4]) != _LZ4_MAGIC or len(data) < 7:
        raise ValueError(f"no lz4 frame: starts with {bytes(data[:7]).hex()}")
    flags = data[4]
    checksum_at = 6 + (8 if flags & 0x08 else 0) + (4 if flags & 0x01 else 0)
    if checksum_at >= len(data):
        raise ValueError(f"lz4 frame of {len(data)} bytes ends inside its header")
    frame = bytearray(data)
    frame[checksum_at] = xxh32_short(bytes(data[4:checksum_at])) >> 8 & 0xFF
    return bytes(cramjam.lz4.decompress(frame))


def xxh32_short(data: bytes) -> int:
    """XXH32 with seed 0 of fewer than 16 bytes, which is all that a frame header has."""
    prime_1, prime_2, prime_3, prime_4, prime_5 = _XXH32_PRIMES
    digest = prime_5 + len(data)
    words_end = len(data) - len(data) % 4
    for at in range(0, words_end, 4):
        digest += int.from_bytes(data[at : at + 4], "little") * prime_3
        digest = _rotate_left(digest, 17) * prime_4
    for byte in data[words_end:]:
        digest = _rotate_left(digest + byte * prime_5, 11) * prime_1
    digest &= _U32
    digest = (digest ^ digest >> 15) * prime_2 & _U32
    digest = (digest ^ digest >> 13) * prime_3 & _U32
    return digest ^ digest >> 16


def _rotate_left(word: int, bits: int) -> int:
    word &= _U32
    return (word << bits | word >> 32 - bits) & _U32
