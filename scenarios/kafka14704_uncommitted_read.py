"""KAFKA-14704: a follower takes over the high watermark first, and cuts its log then."""

from contextlib import ExitStack

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

QUICK = ProducerSettings(acks="1", in_flight=5, delivery_timeout_s=60)  # 400 batches of one each


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

    The leader of three partitions dies with what nobody has fetched, and ten records are committed
    in its place. Back, it is told where logs part, and the high watermarks. Up to 3.4.0 it believes
    these, then cuts one log after another: meanwhile a reader is handed what is not cut yet.
    """
    old, new, other = brokers = partition.replicas
    more = [play.topic(name, settings={"segment.bytes": "600"})[0] for name in ("two", "three")]
    first, ten = dict.fromkeys(brokers, 1), {new: 11, other: 11}
    for each in (three := [partition, *more]):
        each.send(1)
        each.await_offsets("one record, committed on all three", first, first)
    unheard = play.inject_each(HoldAnswers(old, each, after_records=False) for each in (new, other))
    play.await_standing(unheard)
    for each in three:
        each.send(400, QUICK, one_batch=False, to=old)
        each.require_offsets("400 more, on the leader only", {**first, old: 401})
    dead = play.inject(Kill(old))
    for each in three:
        each.await_leader(new, isr=(new, other))
        each.require_acked(each.send(10, one_batch=False, to=new))
        each.await_offsets("ten records are committed in their place", ten, ten)
    away = play.inject(BlockLink(follower=old, leader=new))
    play.heal(dead, *unheard)
    play.await_standing([away])
    with ExitStack() as readers:
        for each in three:
            each.await_offsets("the old leader is back, with all its records", {**ten, old: 401})
            readers.enter_context(each.reading_from(old, offset=1))
        play.heal(away)
        for each in three:
            each.await_isr(*brokers)
