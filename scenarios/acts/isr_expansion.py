"""KAFKA-7128: a latecomer asks to join the ISR of a leader whose high watermark is old."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.isr_admission import Admission, heir_decides

# Out of the ISR by being late: a death would begin a new epoch, and from that the others could tell
# that they know more. The heir looks for who is late once in half its patience, and a latecomer has
# never had all: with that of all clusters, a minute, it may be put out as soon as it is let in.
IMPATIENT_LEADER = {
    1: {"replica.lag.time.max.ms": "3000"},
    2: {"replica.lag.time.max.ms": "3600000"},
}


def latecomer_fetches(play: Play, partition: Partition) -> Admission:
    """Ten acknowledged records on the leader and its heir, five on a latecomer out of the ISR.

    To be played with IMPATIENT_LEADER, or the latecomer is never late.

    The heir has all ten but has not heard that they are committed; a preferred election makes it
    the leader. The latecomer fetches from its own end, 5, which is the heir's old high watermark,
    and the answer is held at the gate: the broker decides about the ISR before it answers.
    """
    leader, heir, latecomer = partition.replicas
    partition.prefer(heir, latecomer, leader)  # first of all, as it begins an epoch
    old = partition.send(5).end_offset
    everywhere = dict.fromkeys(partition.replicas, old)
    partition.await_offsets("five records, committed on all three", everywhere, everywhere)
    late = play.inject(BlockLink(follower=latecomer, leader=leader))
    partition.await_isr(leader, heir)
    deaf = play.inject(HoldAnswers(leader, heir))
    new = partition.send(5, to=leader)
    partition.require_acked(new)
    ends = {leader: new.end_offset, heir: new.end_offset, latecomer: old}
    marks = {leader: new.end_offset, heir: old}
    partition.require_offsets("only the leader knows that all it has is committed", ends, marks)
    return heir_decides(play, partition, deaf, late)
