"""The same restart, and the leader dies once more."""

from highwater.faults.kill import Kill
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.outage import all_return


@scenario(
    source="KIP-101 (motivation); replica.high.watermark.checkpoint.interval.ms",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    ablations=("BlockLink",),
    claims=("lost-write",),
    modes=("zookeeper",),
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def hw_checkpoint_restart_loss(play: Play) -> None:
    """Every log was whole after the restart, and then all records were lost in a clean election.

    Ten records are acknowledged by three replicas of three, and all of them have heard that these
    are committed. All brokers are killed at once, and come back, with logs that are whole and with
    the high watermarks of their checkpoint files, which are old. Before 0.11 the followers cut
    their logs back to these, in the ISR as they are. The leader has everything, and dies again
    before the others could fetch from it. One of them is elected: cleanly, and without a record.

    From 0.11 on a follower asks the leader where the epoch ended, and cuts nothing.
    """
    returned = all_return(play)
    play.inject(Kill(returned.leader))
    play.await_deposed(returned.leader)
