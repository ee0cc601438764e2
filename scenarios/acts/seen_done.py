"""A move of replicas is watched until it is done, or for as long as nobody should wait for it."""

from highwater.harness.errors import DeadlineError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.wait import wait_until

LONG_S = 40.0  # `stuck-move` allows 30


def is_seen_done(play: Play, partition: Partition, gone: int) -> bool:
    """Wait until this broker has the partition no more; False: it has it still."""
    what = f"{partition.where} is taken from broker {gone}"
    try:
        wait_until(lambda: gone not in partition.state().replicas, what, LONG_S)
    except DeadlineError:
        play.step(f"the move is not done: the replicas are {partition.state().replicas}")
        return False
    play.step(f"the move is done: the replicas are {partition.state().replicas}")
    return True
