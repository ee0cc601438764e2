"""What a high watermark is, fetch by fetch."""

from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.hold_requests import HoldRequests
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE


@scenario(
    source="KIP-101 (motivation); replica.fetch.wait.max.ms",
    claims=("leader-high-watermark", "follower-high-watermark"),
    settings={"replica.fetch.wait.max.ms": "500"},
    topic_settings={"min.insync.replicas": "2"},
)
def hw_two_fetches(play: Play, partition: Partition) -> None:
    """A follower needs one fetch for the record and another one for the high watermark.

    Both followers are taken through their fetches one at a time. The first brings the record and
    still the old high watermark, as the leader does not know yet that the record has arrived. The
    second asks for the next offset, which tells it so, and moves its high watermark. The answer
    waits in purgatory up to replica.fetch.wait.max.ms, and brings the new one at last.

    Whenever nothing moves, a follower's high watermark is the smaller one of its own log end offset
    and what it was told; the leader's is the smallest log end offset that it knows of in the ISR.
    """
    (leader, *followers), where = partition.replicas, partition.where
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    watched = play.inject(WatchFetches(where))
    first = play.inject_each(HoldRequests(leader, each, where) for each in followers)
    play.await_standing(first)
    end = partition.send(1, ACKS_ONE, to=leader).end_offset
    new = dict.fromkeys(partition.replicas, end)
    first_moved = {**old, leader: end}
    partition.require_offsets("only the leader has the record", first_moved, old, quiet=True)

    second = play.inject_each(HoldRequests(leader, each, where, end) for each in followers)
    play.heal(*first)
    play.await_standing(second)
    partition.require_offsets("all have it, no high watermark has moved", new, old, quiet=True)

    answers = play.inject_each(
        HoldAnswers(leader, each, after_records=False, deliver=True) for each in followers
    )
    play.heal(*second)
    play.await_standing(answers)
    partition.require_offsets("the leader's has moved", new, first_moved, quiet=True)

    last = play.inject_each(HoldRequests(leader, each, where) for each in followers)
    play.heal(*answers)
    play.await_standing(last)
    partition.require_offsets("the followers' have moved as well", new, new, quiet=True)
    play.heal(*last, watched)
