"""A follower that has forgotten what was committed becomes the leader."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION, follower_returns


@scenario(
    source="KIP-101 (motivation); replica.high.watermark.checkpoint.interval.ms",
    plays_on=">=0.10.2",  # an older broker that starts with its controller may follow nobody
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    claims=("lost-write",),
    modes=("zookeeper",),
    replicas=2,
    settings=LONG_SESSION,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def hw_checkpoint_restart_loss(play: Play, partition: Partition) -> None:
    """Both replicas knew that the records are committed, and one restart later they are gone.

    Ten records are acknowledged by both replicas, and both have heard that these are committed. The
    follower is killed and comes back, before anybody has taken it out of the ISR, for the
    controller has died as well. Its log is whole, but its checkpoint file is older than the
    records: before 0.11 it cuts its log back to the high watermark of the file, in the ISR as it
    is. The leader dies before the follower could fetch the records again. The follower is elected:
    cleanly, and without a record. When the old leader returns, it follows, and cuts its log, too.

    From 0.11 on the follower asks the leader where the epoch ended, and cuts nothing.
    """
    leader, follower = partition.replicas
    follower_returns(play, partition)
    play.inject(Kill(leader))
    partition.await_leader(follower, isr=(follower,))
