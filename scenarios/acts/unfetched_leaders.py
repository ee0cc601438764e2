"""Leadership moves while neither of two replicas can fetch from the other."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ACKS_ONE


@dataclass(frozen=True, slots=True)
class Apart:
    """What keeps the second from fetching, and the first; `base` is where their logs part."""

    away: AtTheGate
    back: AtTheGate
    base: int


def second_leads_unfetched(play: Play, partition: Partition) -> Apart:
    """The first has ten records of acks=1 that the second lacks, and the second leads."""
    first, second = partition.replicas
    base = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.prefer(second, first)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)
    away = play.inject(BlockLink(follower=second, leader=first))
    play.await_standing([away])
    partition.send(10, ACKS_ONE, one_batch=False, to=first)
    back = play.inject(BlockLink(follower=first, leader=second))
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    return Apart(away, back, base)
