"""When a batch leaves its producer: batch.size and linger.ms."""

from highwater.faults.watch_produce import WatchProduce
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.requests import sendings

FULL_BYTES, HEAD_BYTES = 1_500, 300  # of a batch, and of the request around it
RECORDS = 200
LARGE = ProducerSettings(linger_ms=500)  # nothing fills these in half a second
SMALL = ProducerSettings(linger_ms=250_000, batch_bytes=FULL_BYTES, delivery_timeout_s=290)


@scenario(
    source="Kafka's documentation, 3.3: batch.size, linger.ms",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    claims=("lost-write", "replica-divergence"),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def full_or_old(play: Play, partition: Partition) -> None:
    """Of two loads one sends by the clock, the other one whenever a batch is full.

    Both send 200 records a second. One waits for half a second and has room for thousands: so a
    hundred records leave at once, in batches that are not full. The other one would wait for
    four minutes, but a batch of 1,500 bytes is full long before, and goes at once.
    """
    sizes = {}
    for name, settings in (("old", LARGE), ("full", SMALL)):
        with play.load(play.topics[0], rate_per_s=RECORDS, settings=settings) as load:
            watched = play.inject(WatchProduce(load.name))
            load.await_acked(2 * RECORDS)
            sent = sendings(watched)
            play.heal(watched)
        sizes[name] = [each.frame_bytes for each in sent]
        each_has = load.acked / len(sent)
        play.step(f"{name}: {len(sent)} requests, about {each_has:.0f} records in each")
    most = FULL_BYTES + HEAD_BYTES
    partition.require(
        "who waits sends more at once than the other one's batches hold",
        max(sizes["old"]) > 2 * most,
        bytes=sizes["old"],
    )
    partition.require(
        "who is full sends full batches, and none is larger",
        max(sizes["full"]) <= most and sorted(sizes["full"])[len(sizes["full"]) // 2] > most / 2,
        bytes=sizes["full"],
    )
