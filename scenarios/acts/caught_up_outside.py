"""A follower that is out of the ISR catches up with its leader, fetch by fetch."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.model import Evidence
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ACKS_ONE


def caught_up_outside(
    play: Play, partition: Partition, blocked: Evidence, first: int
) -> tuple[Evidence, int]:
    """Of two replicas the leader ends at `first`, alone in the ISR, and the other is `blocked`.

    The follower's second fetch asks for all that the leader had at the first, which counts as
    caught up, though ten records have been committed meanwhile. Returns its third fetch, which
    stands, and where both end. No broker is waited for: one may be unknown to the controller.
    """
    leader, follower = partition.replicas
    second_fetch = play.inject(HoldRequests(leader, follower, partition.where, first))
    play.abandon(blocked)
    play.await_standing([second_fetch])
    second = partition.send(10, ACKS_ONE, to=leader).end_offset
    alone = {leader: second, follower: first}
    partition.await_offsets("its leader commits ten more alone", alone, {leader: second})
    third_fetch = play.inject(HoldRequests(leader, follower, partition.where, second))
    play.abandon(second_fetch)
    play.await_standing([third_fetch])
    partition.require("it is not in the ISR", partition.state().isr == (leader,))
    return third_fetch, second
