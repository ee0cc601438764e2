"""A request of a client of which the beginning is read, and no more."""

from __future__ import annotations

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.hold_produce import HoldProduce
from highwater.faults.stall_asked import StallAsked
from highwater.harness.clients.load import Load
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.sending import await_held

PATIENCE_S, AGED_S = 20.0, 10.0
RATE_PER_S = 6  # so that what others have in their places is whole: it waits for nothing
BUFFERS = 15  # more than a client has besides, which are given out in turn
SWALLOWED_BYTES = 4_450_000  # buffers of both sides took 4.4 MB at most: net.ipv4.tcp_wmem
BYTES = 900_000
LARGE = ProducerSettings(
    idempotence=False,  # with it brokers refuse most of what is in the wrong place, by its numbers
    size_bytes=BYTES,  # a batch has no room for two: all batches are of one length
    batch_bytes=1_000_000,
    request_bytes=9_000_000,
    delivery_timeout_s=PATIENCE_S,
    request_timeout_s=PATIENCE_S,
)


def half_written(play: Play, partition: Partition, load: Load, asked: int) -> tuple[AtTheGate, int]:
    """The request that stands, and how many records it has.

    What waits for one answer of this broker grows old, so that it is given up before the request.
    """
    late = play.inject(HoldProduce(load.name, Trigger("once"), broker=asked))
    play.await_standing([late])
    await_held(play, partition, AGED_S)
    stalled = play.inject(StallAsked("Produce", load.name, Trigger("once"), broker=asked))
    play.heal(late)
    large = stalled.await_standing()["frame_bytes"]
    what = "this client has so much in a request that a part of it can not be written yet"
    partition.require(what, large > SWALLOWED_BYTES, frame_bytes=large)
    return stalled, large // BYTES
