"""KAFKA-20554: acks=1: acknowledged, and lost in a planned move of the leader."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.model import Outcome
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.harness.workloads.requests import Acks
from highwater.scenarios.acts.let_in_too_early import LET_IN_TOO_EARLY, ON_2_8_0


@scenario(
    source="KAFKA-20554; acks, kafka-leader-election.sh",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LET_IN_TOO_EARLY,
    tolerated_on=ON_2_8_0,
)
def acks_leader_moved(play: Play, partition: Partition) -> None:
    """Ten records are acknowledged with acks=1, and gone when an operator has moved the leader.

    All replicas are in sync, and the followers have not fetched the ten yet. Another one is
    preferred and elected, as before any maintenance: nothing has failed. It leads from where its
    log ends, and the old leader cuts the ten off its own. Ten more that were sent with acks=all at
    the same moment are gone as well: of these nobody has said that they are there.
    """
    leader, heir, other = partition.replicas
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject_each(HoldRequests(leader, each, partition.where) for each in (heir, other))
    play.await_standing(held)
    sent = partition.send(10, ACKS_ONE, to=leader)
    partition.require_acked(sent)
    asked = partition.request(10, Acks.ALL)
    partition.await_offsets("the leader alone has twenty more", {**old, leader: old[leader] + 20})
    partition.move_leader(heir)
    partition.await_leader(heir, isr=partition.replicas)
    partition.require_offsets("who leads now has none of them", {heir: old[leader]})
    play.heal(*held)
    partition.await_state("the request with acks=all is over", lambda: asked.is_over)
    not_acked = asked.outcome is not Outcome.OK
    partition.require("and it is not acknowledged", not_acked, error=asked.error)
    partition.require_acked(partition.send(1))
    new = dict.fromkeys(partition.replicas, old[leader] + 1)
    partition.await_offsets("nobody has any of the twenty", new, new)
