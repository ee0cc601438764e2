"""When a batch leaves its producer."""

from highwater.faults.watch_produce import WatchProduce
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.requests import sendings

BATCH_BYTES, SIZE_BYTES, PER_S = 16_384, 500, 100
FULL = ProducerSettings(
    linger_ms=200_000, batch_bytes=BATCH_BYTES, size_bytes=SIZE_BYTES, delivery_timeout_s=300
)
OLD = ProducerSettings(linger_ms=100, batch_bytes=1_000_000, size_bytes=SIZE_BYTES)


@scenario(
    source="Kafka's documentation, 3.3: batch.size, linger.ms",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    claims=("lost-write", "replica-divergence"),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def full_or_old_batches(play: Play, partition: Partition) -> None:
    """One producer lingers for minutes and sends full batches, another sends small ones at once.

    Both send the same records. The first may wait 200 s for a batch to fill, and sends as soon as
    one is full, long before; what is not full by then stays where it is. The second may fill a
    batch of a megabyte, and sends what it has after 100 ms.
    """
    with play.load(play.topics[0], PER_S, FULL) as load:
        watched = play.inject(WatchProduce(load.name))
        load.await_acked(3 * PER_S)
        full = [each.frame_bytes for each in sendings(watched)]
    play.heal(watched)
    records = BATCH_BYTES // (2 * SIZE_BYTES)
    partition.require(
        "each batch is full, and none too full",
        bool(full) and records * SIZE_BYTES < min(full) and max(full) <= 1.1 * BATCH_BYTES,
        frames=full,
    )
    with play.load(play.topics[0], PER_S, OLD) as load:
        watched = play.inject(WatchProduce(load.name))
        load.await_acked(3 * PER_S)
        old = [each.frame_bytes for each in sendings(watched)]
    play.heal(watched)
    some = [each for each in old if each > 2 * SIZE_BYTES]
    partition.require("records have been gathered", bool(some), frames=old)
    partition.require("no batch is full", max(old) < OLD.batch_bytes // 2, frames=old)
