"""Topics whose replicas nobody has placed, and where these are."""

from collections.abc import Sequence

from highwater.faults.targets import Controller
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.topics import create_topic_anywhere
from highwater.scenarios.acts.by_hand import wires

Placed = list[tuple[int, ...]]  # the replicas of each partition, as indices of brokers
REPLICAS = 2


def placed_anywhere(
    play: Play, partition: Partition, topics: int, brokers: Sequence[int]
) -> list[Placed]:
    """Where partitions are of so many topics, with two for each broker; then they are deleted."""
    kafka, metadata = play.cluster.kafka, play.cluster.metadata
    names = [f"{partition.where.topic}-{each}" for each in range(topics)]
    wheres = [[TopicPartition(name, at) for at in range(2 * len(brokers))] for name in names]
    every = [where for each in wheres for where in each]
    asked = partition.replicas[0] if kafka.kraft else Controller().broker(play.cluster)
    with wires(play, asked) as (wire,):
        for name in names:
            create_topic_anywhere(kafka, wire, name, 2 * len(brokers), REPLICAS)
    partition.await_state("they are placed", lambda: len(metadata.partitions(every)) == len(every))
    states = metadata.partitions(every)
    for name in names:
        metadata.delete_topic(name)
    return [
        [tuple(brokers.index(replica) for replica in states[where].replicas) for where in each]
        for each in wheres
    ]


def shifted(brokers: int, partitions: int, shift: int) -> Placed:
    """As AdminUtils does where no broker has a rack: the second replicas are shifted each round."""
    return [
        (each % brokers, (each + 1 + (shift + each // brokers) % (brokers - 1)) % brokers)
        for each in range(partitions)
    ]
