"""A leader that begins looks at its high watermark, though nobody sends or fetches anything."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Partition.makeLeader; replica.high.watermark.checkpoint.interval.ms",
    claims=("lost-write",),
    replicas=1,
    topic_settings={"min.insync.replicas": "1"},
)
def looks_as_it_begins(play: Play, partition: Partition) -> None:
    """The file says that nothing is committed; the broker begins to lead, and knows that all is.

    Ten records are committed on the only replica, and its file does not know it. It is killed and
    comes back, and nobody else can lead. Nothing is sent, and nobody follows: there is neither a
    produce request nor a fetch at which the leader would look again. But as it begins to lead the
    smallest log end of the ISR is its own, and that is its high watermark at once.
    """
    (leader,) = partition.replicas
    batch = partition.send(10)
    partition.require_acked(batch)
    all_ten = {leader: batch.end_offset}
    partition.await_offsets("ten records are committed", all_ten, all_ten)
    noted = partition.checkpointed_high_watermark(leader)
    partition.require("its file does not know it", noted == 0, in_the_file=noted)
    dead = play.inject(Kill(leader))
    partition.await_deposed(leader)
    play.heal(dead)
    partition.await_elected(clean=False)  # from 4.1 on it is told that something may be lost
    partition.await_offsets("it leads, and knows that they are", all_ten, all_ten)
