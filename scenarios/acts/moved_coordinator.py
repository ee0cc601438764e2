"""Another broker becomes the coordinator of groups, and reads what the first has written."""

from collections.abc import Sequence

from highwater.faults.targets import OFFSETS
from highwater.harness.play import Play


def coordinator_is(play: Play, replicas: Sequence[int]) -> None:
    """Give the offsets topic these replicas; returns when the first of them leads it."""
    metadata, to = play.cluster.metadata, replicas[0]
    play.step(f"the coordinator of all groups shall be broker {to}")
    metadata.reassign(OFFSETS, replicas)
    if metadata.partition(OFFSETS).leader != to:
        metadata.elect_preferred(OFFSETS)
    play.scene.demand(
        f"broker {to} leads {OFFSETS}",
        lambda: metadata.partition(OFFSETS).leader == to and play.cluster.probe(to).leads(OFFSETS),
        30.0,
        lambda: {"leader": metadata.partition(OFFSETS).leader},
    )
