"""A coordinator begins to read its log a second time while it reads it."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.wire import Wire
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.first_told import first_told, says_it_reads
from highwater.scenarios.acts.long_to_read import OTHERS, TWO, is_long, named_into
from highwater.scenarios.acts.moved_coordinator import coordinator_is

LONGER = 1_500_000  # records: that two elections fit in, and a marker
# A reading asks between two buffers whether the broker leads still: all of it fits into one.
AT_ONCE = {**TWO, "offsets.load.buffer.size": str(16 << 20)}


def group_of(play: Play) -> str:
    """Whose positions are in the log that is long to read."""
    return named_into(OTHERS, play.topics[0].name)


@contextmanager
def long_to_read(play: Play, partition: Partition) -> Generator[tuple[Wire, float]]:
    """The first replica coordinates, and has read what was written behind another one's back.

    Yields a connection to it, and how many seconds that took.
    """
    leader, heir, _ = partition.replicas
    home, group = play.cluster.metadata.partition(OFFSETS).replicas, group_of(play)
    coordinator_is(play, (heir, leader), OTHERS)
    is_long(play, group, LONGER)
    coordinator_is(play, (leader, heir), OTHERS)
    with wires(play, leader) as (wire,):
        began_s = time.monotonic()
        first_told(partition, wire, group)
        yield wire, time.monotonic() - began_s
    coordinator_is(play, home, OTHERS)


def reads_twice(play: Play, partition: Partition, wire: Wire, took_s: float) -> int | None:
    """Another one leads, it again, and both once more; returns the first position that it tells."""
    leader, heir, _ = partition.replicas
    coordinator_is(play, (heir, leader), OTHERS)
    coordinator_is(play, (leader, heir), OTHERS)
    began_s = time.monotonic()
    coordinator_is(play, (heir, leader), OTHERS)
    coordinator_is(play, (leader, heir), OTHERS)
    within_s, group = time.monotonic() - began_s, group_of(play)
    told = f"{within_s:.1f} s, and {took_s:.1f} s, which it takes to read"
    partition.require(f"both elections take less: {told}", within_s < took_s)
    partition.await_state("it reads its log", lambda: says_it_reads(wire, group), timeout_s=5.0)
    return first_told(partition, wire, group)
