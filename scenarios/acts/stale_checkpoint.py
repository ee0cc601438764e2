"""A replica is killed and returns, with a whole log and the high watermark of its file.

To be played with LONG_SESSION.
"""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill_unnoticed import KillUnnoticed
from highwater.harness.model import Evidence
from highwater.harness.partition import Partition
from highwater.harness.play import Play

# The dead controller is not succeeded before the replica is back, however slow the machine is.
LONG_SESSION = {"zookeeper.session.timeout.ms": "30000"}


def ten_records(play: Play, partition: Partition) -> int:
    """Both replicas know that ten records are committed, and no file does; where they end."""
    play.bring_controller_home()
    batch = partition.send(10)
    partition.require_acked(batch)
    both = dict.fromkeys(partition.replicas, batch.end_offset)
    partition.await_offsets("ten records, and both know that they are committed", both, both)
    files = {each: partition.checkpointed_high_watermark(each) for each in partition.replicas}
    partition.require("no checkpoint file knows it", set(files.values()) == {0}, in_the_files=files)
    return batch.end_offset


def returns(play: Play, partition: Partition, broker: int) -> None:
    """It is killed and comes back, in the ISR and in the role that it had."""
    leader = partition.replicas[0]
    away = play.inject(KillUnnoticed(broker))
    play.heal(away)
    partition.await_leader(leader, isr=partition.replicas)


def follower_returns(play: Play, partition: Partition) -> Evidence:
    """The follower comes back and cannot fetch yet; the fault that is the reason.

    It has done what a follower does before its first fetch, and stands at the gate with that.
    """
    leader, follower = partition.replicas
    ten_records(play, partition)
    blocked = play.inject(BlockLink(follower, leader))
    returns(play, partition, follower)
    play.await_standing([blocked])
    return blocked
