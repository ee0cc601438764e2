"""What a reader is not given: records that the leader has and not all in-sync replicas."""

from highwater.faults.hold_requests import HoldRequests
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE


@scenario(
    source="Kafka's documentation, 4.7: Replication; high watermark",
    claims=("stale-read", "leader-high-watermark"),
    topic_settings={"min.insync.replicas": "2"},
)
def above_the_high_watermark(play: Play, partition: Partition) -> None:
    """Ten records lie in the leader's log, acknowledged, and no reader is given one of them.

    They were sent with acks=1, so the leader's own word was enough. Both followers are in sync and
    have not fetched them: one has, a moment later, and that changes nothing. When the second one
    has, the high watermark moves, and a reader is handed all ten.
    """
    leader, quick, slow = partition.replicas
    watched = play.inject(WatchFetches(partition.where))
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject_each(HoldRequests(leader, each, partition.where) for each in (quick, slow))
    play.await_standing(held)
    batch = partition.send(10, ACKS_ONE, to=leader)
    partition.require_acked(batch)
    first = {**old, leader: batch.end_offset}
    partition.require_offsets("only the leader has the ten", first, old, quiet=True)
    partition.require("no reader is given them", partition.read() == old[leader])

    play.heal(held[0])
    second = {**first, quick: batch.end_offset}
    partition.await_offsets("one follower has fetched them", second, old)
    partition.require("nor now", partition.read() == old[leader])

    play.heal(held[1])
    new = dict.fromkeys(partition.replicas, batch.end_offset)
    partition.await_offsets("both have, and the high watermark moves", new, new)
    partition.require("a reader is given all", partition.read() == batch.end_offset)
    play.heal(watched)
