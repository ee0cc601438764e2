"""Which partition a record goes to, if nobody says so."""

from zlib import crc32

from highwater.harness.creation import create_topic
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.hashing import partitions_of
from highwater.harness.workloads.partitioning import chosen_partitions

PARTITIONS = 12
KEYS = [b"key-%d" % number for number in range(60)]
ROUNDS = 8


@scenario(
    source="BuiltInPartitioner.partitionForKey; KIP-480; librdkafka's partitioner",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def key_chooses_the_partition(play: Play, partition: Partition) -> None:
    """The same key goes to the same partition, by a hash that client libraries do not agree on.

    Kafka's own clients take murmur2, librdkafka CRC-32 if it is not told otherwise: two producers
    of one topic put the records of one key into different partitions. Without a key librdkafka
    stays with a partition for some records, and then draws another.
    """
    topic, bootstrap = f"{partition.where.topic}-keyed", play.cluster.bootstrap
    partition.require_acked(partition.send(1))
    placed = [(partition.replicas[number % 3],) for number in range(PARTITIONS)]
    create_topic(play.cluster, topic, placed, {"min.insync.replicas": "1"})
    found = {}
    expected = {
        "murmur2": [int(partitions_of([key], PARTITIONS)[0]) for key in KEYS],
        "consistent": [crc32(key) % PARTITIONS for key in KEYS],
    }
    for name, wanted in expected.items():
        found[name] = chosen_partitions(bootstrap, topic, KEYS, name)
        again = chosen_partitions(bootstrap, topic, KEYS, name)
        partition.require(f"{name}: the hash of the key alone", found[name] == again == wanted)
    apart = sum(one != other for one, other in zip(*found.values(), strict=True))
    partition.require("they do not agree", apart > len(KEYS) // 2, apart=apart)
    rounds = [
        chosen_partitions(bootstrap, topic, [None] * 10, "consistent_random") for _ in range(ROUNDS)
    ]
    drawn = {each for one in rounds for each in one}
    partition.require("without a key: more than one", len(drawn) > 1, rounds=rounds)
    play.cluster.metadata.delete_topic(topic)
