"""What a new leader tells a consumer that has read further than it knows to be committed."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.at_first import one_everywhere


@scenario(
    source="Kafka Detailed Replication Design V3; KIP-207",
    claims=("lost-write", "stale-read"),
    topic_settings={"min.insync.replicas": "2"},
)
def between_mark_and_end(play: Play, partition: Partition) -> None:
    """Asked for an offset between its high watermark and its log end, it gives nothing, no error.

    The old leader has committed ten records, and readers have read them. The new one has the ten,
    and has not heard that they are committed; until its followers have fetched from it nothing
    moves. A reader who goes on where it was asks beyond the new leader's high watermark: it is
    not told that its offset is out of range, which would throw it back. It is given nothing, until
    the high watermark has caught up.

    The third replica has heard that the ten are committed. Up to 0.10.2 it would otherwise cut them
    off when it follows the new leader, and fetch them again (KIP-101), which is another story.
    """
    leader, heir, other = partition.replicas
    partition.prefer(heir, other, leader)
    old = one_everywhere(partition)
    deaf = play.inject(HoldAnswers(leader, heir))
    ten = partition.send(10, to=leader)
    partition.require_acked(ten)
    read = partition.read()
    partition.require("a reader has read the ten", read == ten.end_offset)
    now = dict.fromkeys(partition.replicas, ten.end_offset)
    partition.await_offsets("only the heir has not heard of it", now, {**now, heir: old})
    links = play.inject_each(BlockLink(follower=each, leader=heir) for each in (leader, other))
    partition.move_leader(heir)
    partition.await_leader(heir, isr=partition.replicas)
    play.heal(deaf)
    partition.require_offsets("it does not know", {heir: ten.end_offset}, {heir: old})
    given = play.cluster.probe(heir).committed(partition.where, read - 5)
    partition.require("asked between the two, it gives nothing and no error", not given)
    play.heal(*links)
    partition.await_offsets("all know it", now, now)
