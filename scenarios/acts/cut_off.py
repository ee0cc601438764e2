"""Records that groups have read, and that an unclean election cuts off."""

from collections.abc import Callable
from typing import NamedTuple

from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.positions import await_position

CUT, INTERVAL_MS = 10, 500

Reader = tuple[str, ConsumerSettings]  # of which library, and how it reads


class Offsets(NamedTuple):
    parted: int  # where the logs part
    cut: int  # where the one ended that is cut
    end: int  # of the one that is left


def ten_cut_off(
    play: Play, partition: Partition, others: int, read: Callable[[int], None]
) -> Offsets:
    """Of two replicas one lacks ten records, is elected, and takes `others` in their place.

    `read` is called with where the log ends before that.
    """
    leader, behind = partition.replicas
    base = partition.send(1).end_offset
    partition.await_offsets("one record on both", dict.fromkeys(partition.replicas, base))
    away = play.inject(Stop(behind))
    partition.await_isr(leader)
    cut = partition.send(CUT).end_offset
    read(cut)
    dead = play.inject(Kill(leader))
    play.heal(away)
    partition.await_leader(behind, clean=False)
    partition.require_offsets("it lacks the ten", {behind: base})
    end = partition.send(others).end_offset
    play.heal(dead)
    return Offsets(base, cut, end)


def committing(to: str = "earliest") -> ConsumerSettings:
    """Members whose library commits by itself, as it likes; Java's with the leader epoch."""
    return ConsumerSettings(
        commits="auto", library={"auto.commit.interval.ms": INTERVAL_MS, "auto.offset.reset": to}
    )


def reads_to(play: Play, partition: Partition, name: str, way: Reader, end: int) -> int:
    """How many records this group is handed until it has committed `end`."""
    client, settings = way
    with play.group(name, play.topics[0], settings=settings, client=client) as group:
        await_position(partition, group, end)
        return group.handed
