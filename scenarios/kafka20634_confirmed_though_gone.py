"""Kafka 4: a coordinator that is deposed confirms a position that is cut away by then."""

from highwater.faults.block_link import BlockLink
from highwater.faults.freeze_threads import COORDINATING, FreezeThreads
from highwater.faults.targets import OFFSETS
from highwater.harness.background import Background
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.assigned_by_hand import commit, commit_once, position_told
from highwater.scenarios.acts.moved_coordinator import await_alike, coordinator_is


@scenario(
    source="KAFKA-20634",
    reproduces=">=4.0,<4.2.2 or ==4.3.0",  # 4.3.0 is older than 4.2.2
    plays_on=">=4.0",  # its threads are of the coordinator that KIP-848 brought
    ablations=("FreezeThreads",),
    claims=("commit-regression",),
    replicas=1,  # nothing but positions goes from broker to broker
    settings={"offsets.commit.timeout.ms": "60000"},
)
def kafka20634_confirmed_though_gone(play: Play, partition: Partition) -> None:
    """A position is confirmed that no replica has any more: another one stands in its place.

    The coordinator has appended a commit, and no follower has fetched it. The thread that
    coordinates has much to do just then: it stands still. The others go on, so the broker hears
    that another one leads, follows it, cuts the commit away, and fetches what that one has in its
    place, the position of another group. Its high watermark moves beyond where the commit was.

    The thread goes on, and has two things before it: that the high watermark has moved, and that it
    coordinates no more. It deals with them in this order, and confirms. Since KAFKA-20634 the high
    watermark of one that does not lead is nothing to it.
    """
    leader, heir, late = brokers = play.cluster.brokers
    home = play.cluster.metadata.partition(OFFSETS).replicas
    coordinator_is(play, brokers)
    offsets, thread = Partition(play.scene, OFFSETS, brokers), Background("who commits")
    partition.send(10)
    commit(play, partition, 5)
    before = await_alike(offsets)
    offsets.await_isr(*brokers)
    cut = play.inject_each(BlockLink(each, leader) for each in (heir, late))
    answered = thread.submit(commit_once, play, partition, 10, leader)
    there = {leader: before + 1, heir: before, late: before}
    offsets.await_offsets("only the leader has the commit", there, {leader: before})
    busy = play.inject(FreezeThreads(leader, COORDINATING))
    offsets.move_leader(heir)
    offsets.await_leader(heir, isr=brokers)
    play.heal(*cut)
    offsets.await_offsets("it is cut away", dict.fromkeys(brokers, before))
    commit(play, partition, 1, name="beside")
    everywhere = dict.fromkeys(brokers, before + 1)
    offsets.await_offsets("another group's is in its place", everywhere, everywhere)
    play.heal(busy)
    partition.await_state("whoever committed is answered", answered.done)
    play.step(f"it is told {answered.result() or 'that the position is committed'}")
    thread.close()
    commit(play, partition, position_told(play, partition))
    coordinator_is(play, home)
