"""KIP-73: a move of a replica is throttled to less than what is written."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.throttled import throttled
from highwater.scenarios.acts.unfinished_move import await_moved, begin_move, is_under_way

THROTTLE_BYTES_PER_S = 50_000
BEFORE, PER_S = 3_000, 300  # records of a thousand bytes
KILOBYTE = ProducerSettings(size_bytes=1000, linger_ms=5)


@scenario(
    source="KIP-73; Kafka's documentation, 6.1: Limiting bandwidth usage during data migration",
    plays_on=">=0.10.1",
    claims=("lost-write", "replica-divergence"),
    replicas=2,
    settings={"replica.fetch.max.bytes": "100000"},
    topic_settings={"min.insync.replicas": "2"},
)
def throttled_move(play: Play, partition: Partition) -> None:
    """A move that may use less than is written gets no nearer to its end, and harms nobody.

    A replica is to move to a third broker while records come in, and what that broker lacks grows.
    The two that have the replicas are in sync all the while, and are not throttled: what is sent is
    acknowledged by both. Once the throttle is gone the move completes, while as much is written as
    before.
    """
    before = leader, leaving = partition.replicas
    new = next(each for each in play.cluster.brokers if each not in before)

    def has(broker: int) -> int:
        return partition.look().ends().get(broker) or 0

    def lacking() -> int:
        return has(leader) - has(new)

    with play.load(play.topics[0], 10 * PER_S, KILOBYTE) as load:
        load.await_acked(BEFORE)
    with play.load(play.topics[0], PER_S, KILOBYTE) as load:
        with throttled(play, partition, THROTTLE_BYTES_PER_S):
            begin_move(play, partition, leader, new)
            partition.await_state("it is under way", lambda: is_under_way(partition, before))
            least = lacking()
            partition.await_state("it lacks more and more", lambda: lacking() > 1.5 * least, 60)
            answers = partition.look().ends().get(new) is not None  # who is silent lacks all
            partition.require("its target is there", answers)
            still = is_under_way(partition, before)
            partition.require("the move is under way, the two are in sync", still, gone=leaving)
            load.await_acked(PER_S)
        await_moved(play, partition)
        load.await_acked(PER_S)
