"""A replica is moved to the other log directory of its broker."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.log_dirs import log_dirs, move_to_log_dir
from highwater.harness.probes.wire import Wire


def moves_to_other_log_dir(play: Play, partition: Partition, broker: int) -> None:
    """Ask for it, and wait until it lies there, and nowhere else.

    A topic of two replicas lies where there is more room: from which one it moves is asked.
    """
    wire = Wire.at(play.cluster.address(broker))
    try:
        before = log_dirs(wire, partition.where)
        (other,) = before.all - {before.current}
        play.step(f"the replica of broker {broker} moves from {before.current} to {other}")
        move_to_log_dir(wire, partition.where, other)
        partition.await_state(
            f"the replica of broker {broker} is in {other}, and is moved no more",
            lambda: log_dirs(wire, partition.where) == before._replace(current=other),
        )
    finally:
        wire.close()
