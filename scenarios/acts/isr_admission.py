"""A latecomer asks a young leader for records, which decides whether it joins the ISR."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play


@dataclass(frozen=True, slots=True)
class Admission:
    """Who is who now; `admitted` says whether the latecomer is in the ISR."""

    heir: int
    latecomer: int
    admitted: bool


def heir_decides(play: Play, partition: Partition, *links: AtTheGate) -> Admission:
    """The heir leads, and is asked by the latecomer; `links` with the old leader are healed.

    The heir has not heard that its last records are committed, and the latecomer lacks them.
    """
    heir, latecomer, leader = partition.state().replicas
    ends = {each: partition.log_end_offset(each) for each in (leader, heir, latecomer)}
    old = ends[latecomer]
    play.inject(BlockLink(follower=leader, leader=heir))
    knocking = play.inject(BlockLink(follower=latecomer, leader=heir))
    partition.move_leader(heir)
    partition.await_leader(heir, isr=(leader, heir))
    play.heal(*links)
    partition.require_offsets("the heir leads with an old high watermark", ends, {heir: old})
    answers = play.inject(HoldAnswers(heir, latecomer, after_records=False))
    play.await_standing([knocking])
    play.heal(knocking)
    play.await_standing([answers])
    isr = partition.state().isr
    play.step(f"the latecomer has fetched from {old}, the answer is held; the ISR is {set(isr)}")
    return Admission(heir, latecomer, latecomer in isr)
