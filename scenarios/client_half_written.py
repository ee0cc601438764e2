"""Any client: records expire while the request that has them is half written."""

from highwater.faults.hold_produce import HoldProduce
from highwater.faults.stall_asked import StallAsked
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import (
    as_told,
    await_given_up,
    await_held,
    await_more,
)

PATIENCE_S, AGED_S = 20.0, 10.0
BYTES = 520_000  # less than half of it stands in the buffers of both sides
RATE_PER_S = 15
BUFFERS = 45  # more than there are of Java's, which are given out in turn: buffer.memory
LARGE = ProducerSettings(
    idempotence=False,  # with it brokers refuse most of what is in the wrong place, by its numbers
    unanswered=28,  # with more there are no buffers left
    size_bytes=BYTES,  # a batch has no room for two: all batches are of one length
    batch_bytes=1_000_000,
    request_bytes=9_000_000,
    delivery_timeout_s=PATIENCE_S,
    request_timeout_s=PATIENCE_S,
)


@any_client(
    "KAFKA-19012; delivery.timeout.ms (KIP-91)",
    reproduces_with=("java", "java:2.8.2"),
)
def client_half_written(play: Play, partition: Partition) -> None:
    """What a client gives up in the middle of a request is not overwritten there by other records.

    A broker that does not lead this topic is late with one answer, and what waits for it grows old.
    Then it reads the beginning of the next request, and no more. Its records are given up before
    the request is, and others are sent to this topic, which is led by somebody else. The broker
    reads on: in the rest of the request there are to be the records that were meant for it.
    """
    asked, earlier = partition.replicas[1], play.topic("earlier", partitions=12)
    with play.load(earlier, RATE_PER_S, as_told(play, LARGE), client=play.client) as load:
        await_more(play, partition, load, len(earlier))
        late = play.inject(HoldProduce(load.name, Trigger("once"), broker=asked))
        play.await_standing([late])
        await_held(play, partition, AGED_S)
        stalled = play.inject(StallAsked("Produce", load.name, Trigger("once"), broker=asked))
        play.heal(late)
        stands = stalled.await_standing()
        what = "a part of the request can not be written yet"
        partition.require(what, stands["frame_bytes"] > BYTES, **stands)
        since_ns = play.record.now_ns()
        load.turn_to(play.topics[0])
        await_given_up(play, partition, load, PATIENCE_S / 2 + 2, stands["frame_bytes"] // BYTES)
        await_more(play, partition, load, BUFFERS)
        stood_s = (play.record.now_ns() - since_ns) / 1e9
        what = "it has not given the request up as well"
        partition.require(what, stood_s < PATIENCE_S, stood_s=stood_s)
        play.heal(stalled)
        await_more(play, partition, load, len(earlier))
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
