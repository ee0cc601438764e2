"""A broker whose disk has failed: whether it makes its replica anew, and can start with both."""

import shutil

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.alone_with_ten import is_passed_over
from highwater.scenarios.acts.in_time import comes_in_time
from highwater.scenarios.acts.two_disks import disks

LONG_ENOUGH_S = 8.0  # a broker that does so has done it within the second


def await_made_anew(play: Play, partition: Partition, broker: int) -> None:
    """Wait until the broker has a replica on its first disk, or long enough after nobody leads."""
    replica = disks(play, broker)[0] / str(partition.where)
    partition.await_state(
        "nobody leads, or the replica is made anew",
        lambda: replica.exists() or partition.state().leader == -1,
    )
    anew = comes_in_time(play, partition, "the replica is made anew", replica.exists, LONG_ENOUGH_S)
    play.step(f"broker {broker} has {'an empty replica' if anew else 'no replica'}")


def follow_its_advice(play: Play, partition: Partition, broker: int) -> None:
    """Start it, and wait until it leads, or halts: then delete what it says, and start it again.

    Where others are waited for it does neither.
    """
    nodes, log = play.cluster.nodes, play.cluster.files.server_log(broker)
    metadata = play.cluster.metadata  # who halts has never been there
    nodes.start(broker)
    partition.await_state(
        f"broker {broker} leads, if it may, or has halted",
        lambda: (
            not nodes.running(broker)
            or partition.state().leader == broker
            or (is_passed_over(partition, broker) and broker in metadata.registered())
        ),
    )
    if nodes.running(broker):
        return
    told = "Duplicate log directories" in log.read_text(errors="replace")
    partition.require("it says that its replica is on both of its disks", told)
    play.step("what is on the disk that has failed is deleted, as the broker recommends")
    shutil.rmtree(disks(play, broker)[1] / str(partition.where))
    play.cluster.nodes.start(broker)
    partition.await_leader(broker)
