"""acks=1: acknowledged by the leader's own word, and lost with the leader."""

from highwater.faults.hold_requests import HoldRequests
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.let_in_too_early import LET_IN_TOO_EARLY, ON_2_8_0


@scenario(
    source="Kafka's documentation, 3.3: acks",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
    tolerates=LET_IN_TOO_EARLY,
    tolerated_on=ON_2_8_0,
)
def acks_leader(play: Play, partition: Partition) -> None:
    """Ten records are acknowledged with acks=1, and gone when their leader has died.

    The followers are in sync and have not fetched them yet. One of them is elected, cleanly; it
    never had them, and the old leader cuts them off its log when it is back. Nothing was committed,
    so nothing committed is lost: acks=1 asks for one replica's word, and got it.
    """
    leader, *followers = partition.replicas
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject_each(HoldRequests(leader, each, partition.where) for each in followers)
    play.await_standing(held)
    sent = partition.send(10, ACKS_ONE, to=leader)
    partition.require_acked(sent)
    partition.require_offsets("only the leader has them", {**old, leader: sent.end_offset})
    dead = play.inject(Kill(leader))
    state = partition.await_deposed(leader)
    partition.require_offsets("who leads now has none of them", {state.leader: old[leader]})
    play.heal(*held)
    partition.require_acked(partition.send(1))
    play.heal(dead)
    new = dict.fromkeys(partition.replicas, old[leader] + 1)
    partition.await_offsets("nor has anybody else, the old leader included", new, new)
