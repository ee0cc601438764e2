"""The high watermark in memory, and the one in the checkpoint file."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.stale_checkpoint import LONG_SESSION, follower_returns


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
)
def hw_checkpoint_restart(play: Play, partition: Partition) -> None:
    """A follower knew that its records are committed, and forgets it in a restart.

    Ten records are acknowledged by both replicas, and both have heard that these are committed. But
    a broker writes its high watermarks to a file only now and then: every five seconds by default,
    and here not since the topic was new. The follower is killed and comes back, before anybody has
    taken it out of the ISR, for the controller has died as well. Its log is whole. Before 0.11 it
    begins by cutting it back to the high watermark of the file, and until it has fetched the
    records again they are on one replica only, whatever the ISR says.

    From 0.11 on it asks the leader where the epoch ended, and cuts nothing.
    """
    blocked = follower_returns(play, partition)
    for _ in range(2):  # a follower's log is short only if two looks say so
        partition.look()
    play.heal(blocked)
