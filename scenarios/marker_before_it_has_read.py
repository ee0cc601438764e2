"""Kafka 4: a coordinator forgets positions for good, as a marker comes before it has read them."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.positions import group_position
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.first_told import told_within
from highwater.scenarios.acts.long_to_read import OTHERS, named_into
from highwater.scenarios.acts.positions import await_position, await_standing_at, resets
from highwater.scenarios.acts.positions_in_transactions import positioning
from highwater.scenarios.acts.read_twice import AT_ONCE, group_of, long_to_read, reads_twice
from highwater.scenarios.acts.transactions_by_hand import await_transaction


@scenario(
    source="CoordinatorRuntime of Kafka 4.4.0, found by a search",
    reproduces="==4.0.2 or >=4.1.1",  # KAFKA-19716; before, it has read all that is committed then
    turns_at=("4.0",),  # it has answered while it read, or nothing was shown
    plays_on=">=3.0",  # whose coordinators tell what a transaction has come to (KIP-664)
    claims=("unprocessed",),
    settings=AT_ONCE,
)
def marker_before_it_has_read(play: Play, partition: Partition) -> None:
    """A group is handed nothing of what was sent while it was away: it has no position any more.

    A coordinator answers before it has read its log, as in answers-before-it-has-read. Just then
    the transaction of another group ends, and its marker is written behind all that is to be read.
    The coordinator has come to the end of its log by that, as it believes; what reads finds itself
    behind, and ends without a word. When all would have been read long ago a group comes back, has
    no position, and begins at the end, as it is set to.
    """
    leader, topic, group = partition.replicas[0], play.topics[0], group_of(play)
    name, other = group.removeprefix(f"{topic.name}-"), named_into(OTHERS, f"{topic.name}-other")
    partition.require_acked(partition.send(10))
    with (
        long_to_read(play, partition) as (wire, took_s),
        positioning(play, topic.name, other, leader) as producer,
    ):
        with play.group(name, topic) as reads:
            await_position(partition, reads, 10)
        producer.begin()
        producer.commit_position(partition.where, 1)
        begins_at = reads_twice(play, partition, wire, took_s)
        producer.end(commit=True)
        await_transaction(play, partition, topic.name, "CompleteCommit")
        if play.cluster.kafka.answers_while_it_reads:
            partition.require("it answered while it read", begins_at is None)
            seen = group_position(wire, group, partition.where)
            partition.require("it had not read all when the marker came", seen is None)
        told = told_within(partition, wire, group, 3 * took_s)
        play.step(f"three times as long as it takes to read all, it tells {told}")
        partition.require_acked(partition.send(10))
        with play.group(name, topic, settings=resets("latest")) as again:
            await_standing_at(partition, again, 20)
            partition.require_acked(partition.send(5))
            await_position(partition, again, 25)
