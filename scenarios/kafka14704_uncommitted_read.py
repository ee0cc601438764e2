"""KAFKA-14704: a follower takes over the high watermark first, and cuts its log then."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE


@scenario(
    source="KAFKA-14704",
    reproduces=">=2.8,<3.4.1",
    claims=("inconsistent-offsets",),
    plays_on=">=2.4,<4.0",  # who follows answers readers, and a segment may be small
    topic_settings={"min.insync.replicas": "2", "segment.bytes": "600"},
    tolerates={
        "committed-truncation": "what it cuts is what it wrongly called committed",
        "lost-write": "what it wrongly handed to a reader is in no log at the end",
        "poll-skip": "it cuts segment by segment from the front, under the reader",
    },
)
def kafka14704_uncommitted_read(play: Play, partition: Partition) -> None:
    """A reader is handed records that were never committed, and that are gone a moment later.

    The leader has a thousand records that nobody has fetched, and dies. Another one leads, and ten
    records are committed in their place. The old leader returns and fetches; the answer says where
    the logs part, and what the high watermark is. Up to 3.4.0 it first believes the high watermark,
    as far as its own log goes, and then cuts its log: in between its uncommitted records count as
    committed. The moment is short; a thousand records in small segments take some time to cut, and
    a reader that stays with this broker finds it.

    From 3.4.1 on the log is cut first.
    """
    old, new, other = partition.replicas
    base = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)
    unheard = play.inject_each(HoldAnswers(old, each, after_records=False) for each in (new, other))
    play.await_standing(unheard)
    end = partition.send(1000, ACKS_ONE, one_batch=False, to=old).end_offset
    partition.require_offsets("a thousand records on the leader only", {**everywhere, old: end})

    dead = play.inject(Kill(old))
    partition.await_leader(new, isr=(new, other))
    batch = partition.send(10, one_batch=False, to=new)
    partition.require_acked(batch)
    ends = {new: batch.end_offset, other: batch.end_offset}
    partition.await_offsets("ten records are committed in their place", ends, ends)
    away = play.inject(BlockLink(follower=old, leader=new))
    play.heal(dead, *unheard)
    play.await_standing([away])
    partition.require_offsets("the old leader is back, with all its records", {**ends, old: end})

    with partition.reading_from(old, base):
        play.heal(away)
        partition.await_isr(*partition.replicas)
