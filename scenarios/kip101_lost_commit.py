"""KIP-101 in the offsets topic: a confirmed commit is gone after two clean elections."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.moved_coordinator import await_alike, coordinator_is
from highwater.scenarios.acts.positions import await_position


@scenario(
    source="KIP-101, KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    ablations=("BlockLink",),
    claims=("handed-again",),
    replicas=1,  # nothing but commits goes from broker to broker
    tolerates={"committed-truncation": "it is how the commit is lost"},
)
def kip101_lost_commit(play: Play, partition: Partition) -> None:
    """A group's commit is confirmed by three replicas of three, and the group goes back behind it.

    The offsets topic has three replicas, and nobody dies. A member commits what it has read; the
    followers have the commit, but not the news that it is committed. Leadership of its partition
    moves to the heir: the laggard cuts its log back to its old high watermark. It moves on to the
    laggard, the others cut theirs as well, and whoever comes next is handed it all again. From
    0.11 on a follower asks its new leader where the epoch ended, and nothing is cut.
    """
    leader, heir, laggard = brokers = play.cluster.brokers
    home, topic = play.cluster.metadata.partition(OFFSETS).replicas, play.topics[0]
    coordinator_is(play, brokers)
    offsets = Partition(play.scene, OFFSETS, brokers)
    offsets.prefer(heir, laggard, leader)
    partition.send(5)
    with play.group("reads", topic) as group:
        await_position(partition, group, 5)
        behind = await_alike(offsets)
        play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
        blocked = play.inject(BlockLink(follower=laggard, leader=heir))
        held = play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
        partition.require_acked(partition.send(10, to=leader))
        await_position(partition, group, 15)
        end = offsets.log_end_offset(leader)
        marks, ends = {leader: end, heir: behind, laggard: behind}, dict.fromkeys(brokers, end)
        offsets.require_offsets("all have the commit, the leader knows it", ends, marks)
        offsets.move_leader(heir)
        offsets.await_leader(heir, isr=brokers)
        play.await_standing([blocked])
        play.heal(*held)
        marks = {leader: behind, heir: behind}
        offsets.await_offsets("the old leader follows the heir", {heir: end}, marks)
        offsets.move_leader(laggard)
        offsets.await_leader(laggard, isr=brokers)
    play.heal()
    with play.group("reads", topic) as again:
        again.await_caught_up()
    coordinator_is(play, home)
