"""The hash that Kafka's Java clients choose a partition by."""

from __future__ import annotations

import pytest

from highwater.harness.workloads.hashing import murmur2, partitions_of

# As in Kafka's own UtilsTest, which has them with a sign.
KNOWN = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@pytest.mark.parametrize("key", KNOWN)
def test_a_key_is_hashed_as_kafka_hashes_it(key: bytes) -> None:
    assert murmur2([key, key]).tolist() == [KNOWN[key] % (1 << 32)] * 2


def test_the_sign_of_a_hash_is_left_out_before_it_is_divided() -> None:
    assert partitions_of([b"foobar"], 12).tolist() == [(-790332482 & 0x7FFFFFFF) % 12]
    assert partitions_of([b"", b""], 1).tolist() == [0, 0]
