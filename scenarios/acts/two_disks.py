"""A replica of a broker with two log directories, which is to be in one of them."""

from pathlib import Path

from highwater.harness.log_dirs import second_log_dir
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.log_dirs import move_to_log_dir
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.other_log_dir import moves_to_other_log_dir


def lies_on_second(play: Play, partition: Partition, broker: int) -> None:
    """Have its replica moved there, if Kafka has not put it there, and wait until it is."""
    _lies_on(play, partition, broker, *disks(play, broker))


def lies_on_first(play: Play, partition: Partition, broker: int) -> None:
    """The same of the disk that it has in every other scenario."""
    _lies_on(play, partition, broker, *reversed(disks(play, broker)))


def _lies_on(play: Play, partition: Partition, broker: int, other: Path, disk: Path) -> None:
    there, elsewhere = (each / str(partition.where) for each in (disk, other))
    if elsewhere.exists():
        moves_to_other_log_dir(play, partition, broker)
    what = f"the replica of broker {broker} is in {disk.name}"
    partition.await_state(what, lambda: there.exists() and not elsewhere.exists())


def asked_to_move(play: Play, partition: Partition, broker: int, to: Path) -> None:
    """The broker is asked for it, and begins; raises AnswerError."""
    play.step(f"broker {broker} is asked to have its replica in {to.name}")
    with wires(play, broker) as (wire,):
        move_to_log_dir(wire, partition.where, str(to))


def disks(play: Play, broker: int) -> tuple[Path, Path]:
    """The first one, and the second."""
    first = play.cluster.files.log_dir(broker)
    return first, second_log_dir(first)
