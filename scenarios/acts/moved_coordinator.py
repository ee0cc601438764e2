"""Another broker becomes the coordinator, and reads what the first has written."""

from collections.abc import Sequence

from highwater.faults.targets import OFFSETS
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play


def coordinator_is(play: Play, replicas: Sequence[int], where: TopicPartition = OFFSETS) -> None:
    """Give the coordinator's topic these replicas; returns when the first of them leads it."""
    metadata, to = play.cluster.metadata, replicas[0]
    play.step(f"{where} shall have the replicas {[*replicas]}, and be led by the first")
    metadata.reassign(where, replicas)
    play.scene.demand(
        f"broker {to} is in the ISR of {where}",
        lambda: to in metadata.partition(where).isr,
        30.0,
        lambda: {"isr": [*metadata.partition(where).isr]},
    )
    if metadata.partition(where).leader != to:
        metadata.elect_preferred(where)
    play.scene.demand(
        f"broker {to} leads {where}",
        lambda: metadata.partition(where).leader == to and play.cluster.probe(to).leads(where),
        30.0,
        lambda: {"leader": metadata.partition(where).leader},
    )


def await_coordinated(play: Play, partition: Partition, among: Sequence[int]) -> None:
    """Wait until one of these replicas coordinates, as the one before is gone."""
    metadata = play.cluster.metadata
    partition.await_state(
        "another replica coordinates the group",
        lambda: metadata.partition(OFFSETS).leader in among,
        60.0,
    )


def await_alike(partition: Partition) -> int:
    """Wait until all replicas have one log end offset, and call all committed; returns it."""
    offsets: set[int | None] = set()

    def alike() -> bool:
        seen = partition.look()
        offsets.clear()
        offsets.update(seen.ends().values(), seen.high_watermarks().values())
        return len(offsets) == 1 and None not in offsets

    partition.await_state(f"all replicas of {partition.where} are alike", alike)
    return partition.log_end_offset(partition.leader)
