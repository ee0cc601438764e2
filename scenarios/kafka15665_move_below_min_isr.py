"""KAFKA-15665: a move is complete with fewer in sync than min.insync.replicas asks for."""

from highwater.faults.block_link import BlockLink
from highwater.faults.cut_tail import CutTail
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.alone_with_ten import alone_with_ten
from highwater.scenarios.acts.unfinished_move import await_moved, begin_move


@scenario(
    source="KAFKA-15665",
    reproduces="<3.8",
    modes=("kraft",),
    ablations=("CutTail",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "a leader that had flushed nothing lost power"},
)
def kafka15665_move_below_min_isr(play: Play, partition: Partition) -> None:
    """Acknowledged by two, moved to a third, and of three copies the youngest alone counts.

    Ten records are on two replicas of two. One of them is down for maintenance when the other one's
    replica is to move to a third broker. The third has caught up and is in sync: up to 3.7 the move
    is complete with that. The old replica is deleted, and of the two that min.insync.replicas=2
    asks for one is in sync. It loses power, and with it what it had not flushed. It is the only one
    that may lead; who was away had all ten records, and cuts its log.

    From 3.8 on a move is complete when all that it moves to are in sync: the old replica stays, and
    leads.
    """
    old, absent = partition.replicas
    new = next(each for each in play.cluster.brokers if each not in partition.replicas)
    batch, _ = alone_with_ten(play, partition)

    blocked = play.inject(BlockLink(follower=new, leader=old))
    begin_move(play, partition, absent, new)
    play.await_standing([blocked])
    play.heal(blocked)
    partition.await_state("the new one is in sync", lambda: new in partition.state().isr)
    partition.await_offsets("with all ten", {new: batch.end_offset})
    play.step(f"the replicas are {partition.state().replicas}, the ISR is {partition.state().isr}")

    play.inject(Kill(new))
    play.inject(CutTail(new, partition.where, 0))
    partition.await_deposed(new)
    play.heal()
    await_moved(play, partition)
