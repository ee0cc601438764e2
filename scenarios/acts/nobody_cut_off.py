"""What a play without the fault that cuts a follower off waits for in the place of that."""

from highwater.harness.model import Evidence
from highwater.harness.partition import Partition


def await_fetched_if_it_can(partition: Partition, cut: Evidence, leader: int, end: int) -> None:
    """Where the fault was left out, the leader's records are fetched before anything else happens.

    How long a follower takes on a busy machine is not what the fault is about.
    """
    if "left out" in cut.proof:
        what = "nobody is cut off from the leader, and what it has is committed"
        partition.await_offsets(what, {leader: end}, {leader: end})
