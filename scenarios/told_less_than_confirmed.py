"""Kafka 4: a coordinator that has just been elected tells a group less than was confirmed."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.assigned_by_hand import commit, position_told
from highwater.scenarios.acts.moved_coordinator import await_alike, coordinator_is


@scenario(
    source="KAFKA-15910, found by a search",
    reproduces=">=4.0",
    ablations=("HoldAnswers",),
    claims=("commit-regression",),
    replicas=1,  # nothing but positions goes from broker to broker
)
def told_less_than_confirmed(play: Play, partition: Partition) -> None:
    """A position is confirmed, and the next coordinator answers with the one before it.

    Somebody who is no member of a group reads a partition and commits, as a consumer does that is
    assigned its partitions by hand. All three replicas have the second commit, and one of them has
    not heard that it is committed. That one becomes the coordinator; the third replica, in sync,
    does not fetch, so that its high watermark stays where it is. Whoever takes the reading over
    asks for the position, without asking for a stable one (KIP-447), and goes on there.

    Up to 3.9 the coordinator tells what its log has. From 4.0 on it tells what it knows to be
    committed: the position before.
    """
    leader, heir, late = brokers = play.cluster.brokers
    home = play.cluster.metadata.partition(OFFSETS).replicas
    coordinator_is(play, brokers)
    offsets = Partition(play.scene, OFFSETS, brokers)
    offsets.prefer(heir, leader, late)
    partition.send(10)
    commit(play, partition, 5)
    behind = await_alike(offsets)
    play.inject(HoldAnswers(leader, heir))
    commit(play, partition, 10)
    end = offsets.log_end_offset(leader)
    ends, marks = dict.fromkeys(brokers, end), {leader: end, heir: behind, late: end}
    offsets.await_offsets("all have it, the heir does not know that it is committed", ends, marks)
    play.inject(BlockLink(follower=late, leader=heir))
    offsets.move_leader(heir)
    offsets.await_leader(heir, isr=brokers)
    told = position_told(play, partition)
    offsets.require_offsets("nobody has told the heir yet", {heir: end}, {heir: behind})
    play.heal()
    commit(play, partition, told)
    coordinator_is(play, home)
