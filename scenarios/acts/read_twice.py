"""A coordinator begins to read its log a second time while it reads it."""

from collections.abc import Generator
from contextlib import contextmanager

from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.positions import group_position
from highwater.harness.probes.wire import Wire
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.long_to_read import OTHERS, is_being_read, is_long, named_into
from highwater.scenarios.acts.moved_coordinator import coordinator_is

OFTEN_S = 0.005
LONGER = 1_500_000  # records: that two elections fit in, and a marker


def group_of(play: Play) -> str:
    """Whose positions are in the log that is long to read."""
    return named_into(OTHERS, play.topics[0].name)


@contextmanager
def long_to_read(play: Play, partition: Partition) -> Generator[Wire]:
    """The first replica coordinates, and has read what was written behind another one's back."""
    leader, heir, _ = partition.replicas
    home, group = play.cluster.metadata.partition(OFFSETS).replicas, group_of(play)
    coordinator_is(play, (heir, leader), OTHERS)
    is_long(play, group, LONGER)
    coordinator_is(play, (leader, heir), OTHERS)
    with wires(play, leader) as (wire,):
        first_told(partition, wire, group)
        yield wire
    coordinator_is(play, home, OTHERS)


def reads_twice(play: Play, partition: Partition, wire: Wire) -> int | None:
    """Another one leads, it again, and both once more; returns the first position that it tells."""
    leader, heir, _ = partition.replicas
    for _ in range(2):
        coordinator_is(play, (heir, leader), OTHERS)
        coordinator_is(play, (leader, heir), OTHERS)
        partition.require("it reads its log", is_being_read(wire, group_of(play)))
    told = first_told(partition, wire, group_of(play))
    play.step(f"the first position that it tells is {told}")
    return told


def first_told(partition: Partition, wire: Wire, group: str) -> int | None:
    """The position that its coordinator tells as soon as it tells any; None for none."""
    told: list[int | None] = []

    def tells() -> bool:
        told.append(group_position(wire, group, partition.where))
        return True

    wait_until(tells, f"the coordinator to tell a position of {group}", interval_s=OFTEN_S)
    return told[-1]
