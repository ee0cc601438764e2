"""A replica is killed and returns, with a whole log and the high watermark of its file.

To be played with LONG_SESSION.
"""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill_unnoticed import KillUnnoticed
from highwater.harness.model import Evidence
from highwater.harness.play import Play

# The dead controller is not succeeded before the replica is back, however slow the machine is.
LONG_SESSION = {"zookeeper.session.timeout.ms": "30000"}


def ten_records(play: Play) -> int:
    """Both replicas know that ten records are committed, and no file does; where they end."""
    play.bring_controller_home()
    batch = play.send(10)
    play.require_acked(batch)
    both = dict.fromkeys(play.replicas, batch.end_offset)
    play.await_offsets("ten records, and both know that they are committed", both, both)
    files = {each: play.checkpointed_high_watermark(each) for each in play.replicas}
    play.require("no checkpoint file knows it", set(files.values()) == {0}, in_the_files=files)
    return batch.end_offset


def returns(play: Play, broker: int) -> None:
    """It is killed and comes back, in the ISR and in the role that it had."""
    leader = play.replicas[0]
    away = play.inject(KillUnnoticed(broker))
    play.heal(away)
    play.await_leader(leader, isr=play.replicas)


def follower_returns(play: Play) -> Evidence:
    """The follower comes back and cannot fetch yet; the fault that is the reason.

    It has done what a follower does before its first fetch, and stands at the gate with that.
    """
    leader, follower = play.replicas
    ten_records(play)
    blocked = play.inject(BlockLink(follower, leader))
    returns(play, follower)
    play.await_standing([blocked])
    return blocked
