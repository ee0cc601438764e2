"""Where the high watermark of a replica stands when its broker has just started."""

from highwater.faults.block_link import BlockLink
from highwater.faults.kill import Kill
from highwater.faults.rewrite_checkpoint import RewriteCheckpoint
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.checkpoints import HIGH_WATERMARK_CHECKPOINT
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.fetches import fetches

BEYOND = 99  # what a file may say of a log that has lost its end


@scenario(
    source="Partition.createLog; replica.high.watermark.checkpoint.interval.ms; KIP-101",
    plays_on=">=0.11",  # before, its log is cut to that: hw-checkpoint-restart
    claims=("lost-write", "replica-divergence"),
    replicas=2,
    topic_settings={"min.insync.replicas": "1"},
)
def begins_at_the_file(play: Play, partition: Partition) -> None:
    """A broker that starts takes the smaller one of its file's high watermark and its log end.

    Ten records are committed, both replicas know it, and no file does. The follower is killed and
    comes back, and what it asks its leader stands in the network: it has all ten, and calls none of
    them committed. It fetches, and knows it again. The second time the file says 99: it begins at
    its log end. Nothing is cut away either time: what it fetches is what comes behind the ten.
    """
    leader, follower = partition.replicas
    batch = partition.send(10)
    partition.require_acked(batch)
    end = batch.end_offset
    both = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("both know that ten records are committed", both, both)
    noted = partition.checkpointed_high_watermark(follower)
    partition.require("its file does not know it", noted == 0, in_the_file=noted)
    watched = play.inject(WatchFetches(partition.where))
    for says, begins in ((None, 0), (BEYOND, end)):
        blocked = play.inject(BlockLink(follower, leader))
        dead = play.inject(Kill(follower))
        partition.await_isr(leader)
        if says is not None:
            told = f"0\n1\n{partition.where.topic} {partition.where.partition} {says}\n"
            play.inject(RewriteCheckpoint(follower, HIGH_WATERMARK_CHECKPOINT, told))
        play.heal(dead)
        play.await_standing([blocked])
        partition.require_offsets(f"it begins at {begins}", both, {follower: begins})
        play.heal(blocked)
        partition.await_isr(*partition.replicas)
        partition.await_offsets("it knows what is committed", both, both)
    asked = {each.offset for each in fetches(watched) if each.follower == follower}
    partition.require("it has asked for what comes behind", asked == {end}, asked=asked)
