"""Who coordinates a group: the leader of the partition that its name hashes to."""

from contextlib import ExitStack
from itertools import count, islice

from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import find_coordinator, offsets_partition
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.positions import await_position


@scenario(
    source="GroupMetadataManager.partitionFor; documentation, 5.7: Consumer Offset Tracking",
    claims=("commit-regression", "two-owners", "unprocessed"),
    settings={"offsets.topic.num.partitions": "3"},
    topic_settings={"min.insync.replicas": "2"},
)
def coordinator_by_name(play: Play, partition: Partition) -> None:
    """Three groups have one coordinator, two brokers have no group, and a fourth joins the three.

    Of each group's name a hash is taken, and that says which partition of __consumer_offsets has
    its positions; who leads that is the coordinator, however much others have to do. Any broker
    tells so. When another broker becomes the leader, it is the coordinator of all of these groups.
    """
    topic, brokers = play.topics[0], play.cluster.brokers
    homes = [TopicPartition("__consumer_offsets", number) for number in range(len(brokers))]
    for where, broker in zip(homes, brokers, strict=True):
        coordinator_is(play, [broker], where)

    def hashed_to(number: int) -> list[str]:
        names = (f"g{each}" for each in count())
        chosen = (each for each in names if offsets_partition(f"{topic.name}-{each}", 3) == number)
        return list(islice(chosen, 4))

    with wires(play, *brokers) as asked, ExitStack() as stack:

        def coordinators(names: list[str]) -> set[int]:
            told = [f"{topic.name}-{each}" for each in names]
            return {find_coordinator(wire, each) for wire in asked for each in told}

        *three, fourth = hashed_to(0)
        groups = [stack.enter_context(play.group(name, topic)) for name in three]
        end = partition.send(10).end_offset
        for group in groups:
            await_position(partition, group, end)
        partition.require("all have one coordinator", coordinators(three) == {brokers[0]})
        partition.require("a fourth one is no other's", coordinators([fourth]) == {brokers[0]})
        partition.require("another hash", coordinators(hashed_to(1)) == {brokers[1]})
        coordinator_is(play, [brokers[2]], homes[0])
        partition.await_state("it moves", lambda: coordinators(three) == {brokers[2]})
        partition.require_acked(partition.send(10))
        for group in groups:
            await_position(partition, group, end + 10)
