"""KAFKA-19996: a follower that cannot keep up is taken into the ISR again and again."""

from highwater.faults.block_link import BlockLink
from highwater.faults.limit_link import LimitLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.coming_and_going import await_joins

THIN_BYTES_PER_S, PER_S, BEFORE = 60_000, 240, 500
KILOBYTE = ProducerSettings(acks="1", size_bytes=1000, linger_ms=5, batch_records=20)
FEW_BYTES = "20000"


@scenario(
    source="KAFKA-19996; KAFKA-15583",
    reproduces=">=3.7",
    plays_on=">=0.10.1",  # since then a fetch has a limit as a whole (KIP-74)
    ablations=("LimitLink",),
    claims=("flapping-isr",),
    replicas=2,
    settings={
        "replica.lag.time.max.ms": "2000",
        "replica.fetch.max.bytes": FEW_BYTES,
        "replica.fetch.response.max.bytes": FEW_BYTES,
    },
    topic_settings={"min.insync.replicas": "2"},
)
def kafka19996_flapping_isr(play: Play, partition: Partition) -> None:
    """Farther and farther behind, a follower comes into the ISR every few seconds.

    Two replicas, and min.insync.replicas=2. The follower is cut off, and put out of the ISR; then
    it fetches over a line that carries a quarter of what is sent with acks=1. From 3.7 on nothing
    is committed by a leader alone in the ISR, so the high watermark stands where the follower left.
    It has all that is committed, and is taken in, however far it is behind the log's end; it
    is not there in replica.lag.time.max.ms, and is put out.

    Up to 3.6 the high watermark goes on with the leader alone, and who is behind it stays out.
    """
    leader, follower = partition.replicas
    partition.require_acked(partition.send(3))
    apart = play.inject(BlockLink(follower=follower, leader=leader))
    partition.require_acked(partition.send(1, KILOBYTE, to=leader))
    partition.await_isr(leader)
    thin = play.inject(LimitLink(follower, leader, THIN_BYTES_PER_S))
    with play.load(play.topics[0], PER_S, KILOBYTE) as load:
        load.await_acked(BEFORE)
        play.heal(apart)
        joins = await_joins(play, partition, follower, often=7, for_s=45)
        play.step(f"it has come into the ISR {joins} times")
    play.heal(thin)
    partition.await_isr(*partition.replicas, timeout_s=60.0)
