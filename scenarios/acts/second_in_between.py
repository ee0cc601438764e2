"""The second of two replicas leads for a while, in an epoch of which the first has no record."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.cluster import Fault
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.requests import Acks


@dataclass(frozen=True, slots=True)
class Between:
    """What keeps the first from following, and what no answer to the second's fetches passes."""

    apart: AtTheGate
    answers: AtTheGate


def first_leads_again(play: Play, partition: Partition, apart: Fault[AtTheGate]) -> Between:
    """The first leads again and has ten acknowledged records; so has the second, and one more.

    The second does not know that the ten are committed: its high watermark stands before them. It
    has written its own record while it led, and `apart` has kept the first from hearing of that.
    """
    first, second = partition.replicas
    base = partition.send(1).end_offset
    both = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on both", both, both)
    unheard = play.inject(HoldAnswers(first, second))
    batch = partition.send(10, to=first)
    partition.require_acked(batch)
    ends, marks = dict.fromkeys(partition.replicas, batch.end_offset), {**both, first: base + 10}
    partition.require_offsets("both have ten more, one knows that they are committed", ends, marks)
    play.await_standing([unheard])  # no fetch is parked that is answered when the next is awaited
    kept = play.inject(apart)
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    play.await_standing([kept])
    play.heal(unheard)
    partition.request(1, Acks.ONE)  # a client that asks first may be sent to a leader that is deaf
    seen = {**ends, second: base + 11}
    partition.await_offsets("the second has one more, in an epoch of its own", seen, {second: base})
    answers = play.inject(
        HoldAnswers(first, second, after_records=False, topic=partition.where.topic)
    )
    partition.move_leader(first)
    partition.await_leader(first, isr=partition.replicas)
    return Between(kept, answers)
