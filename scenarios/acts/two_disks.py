"""A broker with a second disk, and a replica of it that moves from one to the other."""

from collections.abc import Mapping
from pathlib import Path

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.log_dirs import move_to_disk
from highwater.scenarios.acts.by_hand import wires

SECOND = "second-disk"


def second_disk_of(broker: int) -> Mapping[int, Mapping[str, str]]:
    """What a scenario says in `broker_settings`: the first disk is the one that each broker has."""
    return {broker: {"log.dirs": f"data-{broker},{SECOND}"}}


def lies_on_second(play: Play, partition: Partition, broker: int) -> None:
    """Have its replica moved there, if Kafka has not put it there, and wait until it is."""
    _lies_on(play, partition, broker, *disks(play, broker))


def lies_on_first(play: Play, partition: Partition, broker: int) -> None:
    """The same of the disk that it has in every other scenario."""
    _lies_on(play, partition, broker, *reversed(disks(play, broker)))


def _lies_on(play: Play, partition: Partition, broker: int, other: Path, disk: Path) -> None:
    there, elsewhere = (each / str(partition.where) for each in (disk, other))
    if elsewhere.exists():
        asked_to_move(play, partition, broker, disk)
    what = f"the replica of broker {broker} is in {disk.name}"
    partition.await_state(what, lambda: there.exists() and not elsewhere.exists())


def asked_to_move(play: Play, partition: Partition, broker: int, to: Path) -> None:
    """The broker is asked for it, and begins; raises AnswerError."""
    play.step(f"broker {broker} is asked to have its replica in {to.name}")
    with wires(play, broker) as (wire,):
        move_to_disk(wire, partition.where, str(to))


def disks(play: Play, broker: int) -> tuple[Path, Path]:
    """The first one, and the second."""
    first = play.cluster.files.log_dir(broker)
    return first, first.parent / SECOND
