"""Leadership moves while neither of two replicas can fetch from the other."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ACKS_ONE


@dataclass(frozen=True, slots=True)
class Apart:
    """What keeps the second from fetching, and the first; `base` is where their logs part."""

    away: AtTheGate
    back: AtTheGate
    base: int


def second_leads_unfetched(play: Play) -> Apart:
    """The first has ten records of acks=1 that the second lacks, and the second leads."""
    first, second = play.replicas
    base = play.send(1).end_offset
    everywhere = dict.fromkeys(play.replicas, base)
    play.prefer(second, first)
    play.await_offsets("one record, committed on both", everywhere, everywhere)
    away = play.inject(BlockLink(follower=second, leader=first))
    play.await_standing([away])
    play.send(10, ACKS_ONE, one_batch=False, to=first)
    back = play.inject(BlockLink(follower=first, leader=second))
    play.move_leader(second)
    play.await_leader(second, isr=play.replicas)
    return Apart(away, back, base)
