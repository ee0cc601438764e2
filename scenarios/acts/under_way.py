"""How many requests a client has under way at once, which is its own affair."""

from __future__ import annotations

from dataclasses import replace

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.clients.loading import can_be_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.sending import await_held

# With five records under way librdkafka 2.16 sends no more, in however few requests they are.
ONE_EACH = ProducerSettings(batch_records=1)
WAITING_EACH = replace(ONE_EACH, delivery_timeout_s=30.0)
PATIENT_EACH = replace(ONE_EACH, delivery_timeout_s=60.0)
SLOWLY_PER_S = 50  # a busy machine comes along with a request for each
SOON_S = 5.0  # before any client gives up what it has sent, and goes on with the next


def one_each(play: Play, settings: ProducerSettings = ONE_EACH) -> ProducerSettings | None:
    """A record in each request, of who can be told so; others have several under way without it."""
    return settings if can_be_told(play.client, play.cluster.kafka, "batch_records") else None


def await_behind(play: Play, partition: Partition, held: AtTheGate, wanted: int) -> int:
    """Wait until so many requests wait behind the one that stands, or no more come; how many?"""
    seen = [0, play.record.now_ns()]

    def is_over() -> bool:
        behind = held.proof["behind"]
        if behind > seen[0]:
            seen[:] = behind, play.record.now_ns()
        return behind >= wanted or play.record.now_ns() - seen[1] > SOON_S * 1e9

    what = f"{wanted} more of its requests are under way, or no more come"
    partition.await_state(what, is_over, (wanted + 1) * SOON_S)
    return seen[0]


def require_second(play: Play, partition: Partition, first: AtTheGate, in_flight: int) -> None:
    """Another request waits behind the one that stands; of who has one in flight nothing does."""
    if in_flight == 1:
        await_held(play, partition, 0.5)
        behind = first.proof["behind"]
        partition.require("nothing is under way behind the first", behind == 0, behind=behind)
        return
    behind = await_behind(play, partition, first, 1)
    partition.require("a second request is under way behind the first", behind >= 1, behind=behind)
