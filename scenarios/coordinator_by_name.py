"""Which broker coordinates a group."""

from highwater.faults.targets import OFFSETS
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import find_coordinator, join_group, offsets_partition
from highwater.harness.scenario import scenario
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.moved_coordinator import coordinator_is

PARTITIONS = 3
NAMES = [f"group-{number}" for number in range(12)]


@scenario(
    source="GroupMetadataManager.partitionFor; FindCoordinator; KIP-848",
    claims=("lost-write", "replica-divergence"),
    settings={"offsets.topic.num.partitions": str(PARTITIONS)},
    topic_settings={"min.insync.replicas": "2"},
)
def coordinator_by_name(play: Play, partition: Partition) -> None:
    """Every broker names the same coordinator: whoever leads the partition that the name hashes to.

    The three partitions of __consumer_offsets are led by three brokers. Any broker is asked for
    twelve groups, and names for each the leader of the partition of that name. Load has no say:
    where groups have members, and the others have none, the next name is sent all the same.
    """
    kafka, where = play.cluster.kafka, OFFSETS.topic
    home = play.cluster.metadata.partition(OFFSETS).replicas
    parts = [TopicPartition(where, number) for number in range(PARTITIONS)]
    partition.require_acked(partition.send(1))
    for part, broker in zip(parts, partition.replicas, strict=True):
        coordinator_is(play, [broker], part)
    with wires(play, *partition.replicas) as asked:

        def named(group: str) -> set[int]:
            return {find_coordinator(wire, group) for wire in asked}

        for name in NAMES:
            leads = partition.replicas[offsets_partition(name, PARTITIONS)]
            wait_until(lambda one=name, of=leads: named(one) == {of}, f"{leads} for {name}")  # type: ignore[misc]
        busy = partition.replicas[offsets_partition(NAMES[0], PARTITIONS)]
        alike = [
            each
            for each in NAMES
            if partition.replicas[offsets_partition(each, PARTITIONS)] == busy
        ]
        partition.require("several are of one coordinator", len(alike) > 2, names=alike)
        with wires(play, busy) as (wire,):
            joined = [join_group(kafka, wire, each) for each in alike[:-1]]
            partition.require("they have members", all(each.member for each in joined))
        partition.require("the next one is sent there as well", named(alike[-1]) == {busy})
    for part in parts:
        coordinator_is(play, home, part)
