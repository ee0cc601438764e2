"""The high watermark in memory, and the one in the checkpoint file."""

from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.outage import all_return


@scenario(
    source="KIP-101 (motivation); replica.high.watermark.checkpoint.interval.ms",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    claims=("committed-truncation",),
    modes=("zookeeper",),
    topic_settings={"min.insync.replicas": "2"},
)
def hw_checkpoint_restart(play: Play) -> None:
    """Every replica knew that the records are committed, and forgets it in a restart.

    Ten records are acknowledged by three replicas of three, and all of them have heard that these
    are committed. But a broker writes its high watermarks to a file only now and then: every five
    seconds by default, and here not since the topic was new. All brokers are killed at once, and
    come back. Every log is whole. Before 0.11 a follower begins by cutting its log back to the high
    watermark of the file, in the ISR as it is, and until it has fetched the records again they are
    on one replica only.

    From 0.11 on it asks the leader where the epoch ended, and cuts nothing.
    """
    returned = all_return(play)
    for _ in range(2):
        play.look()
    play.heal(*returned.blocked)
