"""A broker has copied a replica to another disk, and does not hear that the controller knows."""

import shutil
from pathlib import Path

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.hold_disk_change import HoldDiskChange
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.alone_with_ten import is_passed_over
from highwater.scenarios.acts.two_disks import asked_to_move, disks


def copied_unheard(play: Play, partition: Partition, broker: int) -> AtTheGate:
    """Have its replica copied to the first disk; that the controller knows it does not hear."""
    first, second = disks(play, broker)
    unheard = play.inject(HoldDiskChange(broker))
    asked_to_move(play, partition, broker, first)
    play.await_standing([unheard])
    copies = copies_on(first, partition), copies_on(second, partition)
    partition.require("it is copied, and not moved", copies == (["a copy"], ["the replica"]))
    return unheard


def leads_without_copy(play: Play, partition: Partition, broker: int) -> None:
    """Wait until it leads, and has no copy any more, or has halted over it: then that is deleted.

    For a broker that has made a replica beside the copy cannot put that in its place. Where others
    are waited for, it leads later, or never.
    """
    (first, _), nodes = disks(play, broker), play.cluster.nodes
    partition.await_state(
        f"broker {broker} leads, if it may, and has a replica and no copy, or has halted",
        lambda: (
            not nodes.running(broker)
            or (copies_on(first, partition) == ["the replica"] and _is_decided(partition, broker))
        ),
    )
    if nodes.running(broker):
        return
    copies = copies_on(first, partition)
    partition.require("it has a replica and a copy", copies == ["a copy", "the replica"])
    play.step(f"broker {broker} has halted: it cannot have both, and the copy is deleted")
    for copy in first.glob(f"{partition.where}.*-future"):
        shutil.rmtree(copy)
    nodes.start(broker)
    partition.await_leader(broker)


def _is_decided(partition: Partition, broker: int) -> bool:
    return partition.state().leader == broker or is_passed_over(partition, broker)


def copies_on(disk: Path, partition: Partition) -> list[str]:
    """What directories of this partition are there: a copy is one that has not its place yet."""
    where = str(partition.where)
    mine = (each.name for each in disk.iterdir() if each.name.startswith(where))
    return sorted("a copy" if name.endswith("-future") else "the replica" for name in mine)
