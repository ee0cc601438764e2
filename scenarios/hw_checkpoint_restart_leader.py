"""A leader that has forgotten what was committed becomes a follower."""

from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION, returns, ten_records


@scenario(
    source="KIP-101 (motivation); replica.high.watermark.checkpoint.interval.ms",
    plays_on=">=0.10.2",  # an older broker that starts with its controller may follow nobody
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    claims=("committed-truncation",),
    modes=("zookeeper",),
    replicas=2,
    settings=LONG_SESSION,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "high-watermark-regression": "the leader restarts within its epoch, and knows only its file"
    },
)
def hw_checkpoint_restart_leader(play: Play, partition: Partition) -> None:
    """A leader returns with every record, hands leadership over, and throws its records away.

    Ten records are acknowledged by both replicas, and both have heard that these are committed. The
    leader is killed and comes back, before anybody has elected another, for the controller has died
    as well. It leads on, with its whole log; but the high watermark is that of its checkpoint file,
    which is older than the records, until the follower fetches again. Leadership moves to the
    follower before that. Now the old leader is a follower: before 0.11 it cuts its log back to its
    high watermark, and until it has fetched the records again they are on one replica only.

    From 0.11 on it asks the new leader where the epoch ended, and cuts nothing.
    """
    leader, follower = partition.replicas
    end = ten_records(play, partition)
    silent = play.inject(BlockLink(follower, leader))
    returns(play, partition, leader)
    partition.require_offsets(
        "all records, and the high watermark of the file", {leader: end}, {leader: 0}
    )

    blocked = play.inject(BlockLink(leader, follower))
    partition.move_leader(follower)
    partition.await_leader(follower, isr=partition.replicas)
    play.await_standing([blocked])
    for _ in range(2):  # a follower's log is short only if two looks say so
        partition.look()
    play.heal(silent, blocked)
