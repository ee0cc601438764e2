"""The drawing of every introduction: the high watermark is where the slowest in-sync replica is."""

from highwater.faults.hold_requests import HoldRequests
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE

FIRST, LAST = 3, 5


@scenario(
    source="Kafka's documentation, 4.7: Replication; high watermark",
    plays_on=">=0.10.1",  # before KIP-74 a fetch cannot be made as small as one batch
    claims=("leader-high-watermark", "follower-high-watermark"),
    settings={"replica.fetch.max.bytes": "1", "replica.fetch.response.max.bytes": "1"},
    topic_settings={"min.insync.replicas": "2"},
)
def smallest_log_end(play: Play, partition: Partition) -> None:
    """The leader has five records, one follower five, the other three: three are committed.

    The slow follower is given one record at a time. It has fetched the fourth, and the high
    watermark is four; it has fetched the fifth, and it is five. The quick one has had all of them
    from the beginning, and the leader, too: only the smallest log end counts.
    """
    leader, quick, slow = partition.replicas
    watched = play.inject(WatchFetches(partition.where))
    partition.require_acked(partition.send(FIRST, one_batch=False))
    old = dict.fromkeys(partition.replicas, FIRST)
    partition.await_offsets("three records, committed on all", old, old)
    held = play.inject(HoldRequests(leader, slow, partition.where, FIRST))
    play.await_standing([held])
    partition.send(LAST - FIRST, ACKS_ONE, one_batch=False, to=leader)
    ends = {leader: LAST, quick: LAST, slow: FIRST}
    partition.await_offsets("five, five and three: the high watermark is 3", ends, {leader: FIRST})
    done = play.inject(HoldRequests(leader, quick, partition.where, LAST))
    play.await_standing([done])

    for fetched in range(FIRST + 1, LAST + 1):
        following = play.inject(HoldRequests(leader, slow, partition.where, fetched))
        play.heal(held)
        play.await_standing([following])
        now, marks = {**ends, slow: fetched}, {leader: fetched - 1}
        partition.require_offsets(f"the slow one has {fetched}", now, marks, quiet=True)
        held = following
    play.heal(held, done)
    new = dict.fromkeys(partition.replicas, LAST)
    partition.await_offsets("five everywhere: the high watermark is 5", new, new)
    play.heal(watched)
