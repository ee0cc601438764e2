"""The hash that Kafka's Java clients choose a partition by."""

from __future__ import annotations

import pytest

from highwater.harness.workloads.partitioning import murmur2

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
    assert murmur2(key) == KNOWN[key] % (1 << 32)
