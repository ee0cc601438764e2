"""What decides to which partition a record goes: its key, and the client."""

from highwater.harness.creation import add_partitions, create_topic
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.choosing import chosen_partitions
from highwater.scenarios.acts.keys import await_known, partition_for

FIRST, ALL = 6, 8  # partitions
KEYS: list[bytes | None] = [f"customer-{each}".encode() for each in range(100)]
NO_KEYS: list[bytes | None] = [None] * 600
AS_JAVA = {"partitioner": "murmur2_random"}


@scenario(
    source="Kafka's documentation, 3.3: partitioner.class; KIP-480; KIP-794",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def key_chooses(play: Play, partition: Partition) -> None:
    """A hundred keys go where their hashes say, twice; six hundred records without one go anywhere.

    Two producers agree, for the hash is taken of the key alone: murmur2 as in Java. A third one has
    librdkafka's own hash (CRC-32), and does not. When the topic is given two partitions most keys
    move. Records without a key are spread over all partitions. Brokers know nothing of all this.
    """
    partition.require_acked(partition.send(1))
    cluster, name = play.cluster, f"{partition.where.topic}-beside"
    brokers = [(each,) for each in 3 * partition.replicas]
    create_topic(cluster, name, brokers[:FIRST], {"min.insync.replicas": "1"})

    def went(keys: list[bytes | None], **library: object) -> list[int]:
        return chosen_partitions(cluster.bootstrap, name, keys, library)

    def by_hash(partitions: int) -> list[int]:
        return [partition_for(key, partitions) for key in KEYS if key]

    await_known(play, partition, name, FIRST)
    wanted = by_hash(FIRST)
    partition.require(
        "where the hash says", went(KEYS, **AS_JAVA) == wanted == went(KEYS, **AS_JAVA)
    )
    partition.require("not by librdkafka's own hash", went(KEYS) != wanted)
    spread = {*went(NO_KEYS)}
    partition.require("without a key all are sent to", len(spread) == FIRST, sent_to=spread)
    add_partitions(cluster, name, FIRST, brokers[FIRST:ALL])
    await_known(play, partition, name, ALL)
    partition.require("keys move", went(KEYS, **AS_JAVA) == by_hash(ALL) != wanted)
    cluster.metadata.delete_topic(name)
