"""How Kafka's own clients choose the partition of a key."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play

_MULTIPLIER, _SEED, _BITS = 0x5BD1E995, 0x9747B28C, 0xFFFFFFFF


def murmur2(key: bytes) -> int:
    """org.apache.kafka.common.utils.Utils.murmur2, as an unsigned number."""
    hashed = _SEED ^ len(key)
    whole = len(key) - len(key) % 4
    for at in range(0, whole, 4):
        word = int.from_bytes(key[at : at + 4], "little") * _MULTIPLIER & _BITS
        word = (word ^ word >> 24) * _MULTIPLIER & _BITS
        hashed = hashed * _MULTIPLIER & _BITS ^ word
    if key[whole:]:
        hashed = (hashed ^ int.from_bytes(key[whole:], "little")) * _MULTIPLIER & _BITS
    hashed = (hashed ^ hashed >> 13) * _MULTIPLIER & _BITS
    return hashed ^ hashed >> 15


def partition_for(key: bytes, partitions: int) -> int:
    """As DefaultPartitioner, and since 3.3 BuiltInPartitioner.partitionForKey."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def await_known(play: Play, partition: Partition, topic: str, partitions: int) -> None:
    """Wait until every broker tells its clients of so many partitions of a topic."""
    probes = [play.cluster.probe(each) for each in play.cluster.brokers]
    partition.await_state(
        f"all brokers know {partitions} partitions of {topic}",
        lambda: all(len(each.metadata(topic).partitions) == partitions for each in probes),
    )
