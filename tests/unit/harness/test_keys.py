"""The hash of a key against what Kafka's own tests expect (UtilsTest.testMurmur2)."""

from __future__ import annotations

import pytest

from highwater.scenarios.acts.keys import murmur2, partition_for


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_a_key_has_the_hash_that_kafka_says(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed % (1 << 32)


def test_a_negative_hash_is_made_positive_by_its_lower_bits() -> None:
    assert partition_for(b"21", 10) == (-973932308 & 0x7FFFFFFF) % 10
