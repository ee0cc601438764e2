"""Every broker dies and returns, with logs that are whole and high watermarks that are old."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.faults.outage import Outage
from highwater.harness.play import Play

CONTROLLER = 100  # a broker without replicas


@dataclass(frozen=True, slots=True)
class Returned:
    """Who leads again, and the links on which the followers stand."""

    leader: int
    blocked: list[AtTheGate]


def all_return(play: Play) -> Returned:
    """Ten records that every replica knows to be committed, and no checkpoint file does.

    After the outage the leader comes back first. The followers cannot fetch from it yet: they have
    done what a follower does before its first fetch, and stand at the gate with it.
    """
    leader, *followers = play.replicas
    batch = play.send(10)
    play.require_acked(batch)
    everywhere = dict.fromkeys(play.replicas, batch.end_offset)
    play.await_offsets("ten records, and all know that they are committed", everywhere, everywhere)
    files = {each: play.checkpointed_high_watermark(each) for each in play.replicas}
    play.require("no checkpoint file knows it", set(files.values()) == {0}, in_the_files=files)

    blocked = play.inject_each(BlockLink(each, leader) for each in followers)
    outage = play.inject(Outage((*play.replicas, CONTROLLER)))
    play.heal(outage)
    play.await_leader(leader)
    play.await_standing(blocked)
    return Returned(leader, blocked)
