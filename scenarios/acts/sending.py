"""A client that sends while something goes wrong, whichever library it is made of."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings

RATE_PER_S = 200
ENOUGH_RECORDS = 100  # half a second before, during and after
STALLED_S = 32  # the claim stalled-sends says so from 30 s on
REQUEST_TIMEOUT_S = 2.0
IMPATIENT = ProducerSettings(request_timeout_s=REQUEST_TIMEOUT_S)
ONE_TRY = ProducerSettings(retries=0)


@contextmanager
def sending(
    play: Play,
    partition: Partition,
    settings: ProducerSettings | None = None,
    rate_per_s: int = RATE_PER_S,
) -> Generator[Load]:
    """It sends before and after what goes wrong inside.

    Records that it gives up are told and not charged: how long a client tries is its own affair.
    """
    with play.load(play.topics[0], rate_per_s, settings, client=play.client) as load:
        await_more(play, partition, load)
        yield load
        await_more(play, partition, load)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")


def await_more(play: Play, partition: Partition, load: Load, records: int = ENOUGH_RECORDS) -> None:
    """Wait until enough is acknowledged, or nothing has been for so long that the judge says so."""
    wanted, seen = load.acked + records, [load.acked, play.record.now_ns()]

    def is_over() -> bool:
        if load.acked > seen[0]:
            seen[:] = load.acked, play.record.now_ns()
        return load.acked >= wanted or play.record.now_ns() - seen[1] > STALLED_S * 1e9

    partition.await_state("its records are acknowledged, or it has stalled", is_over, 120)


def await_held(play: Play, partition: Partition, seconds: float) -> None:
    """Wait until what stands at the gate has stood for so long."""
    since_ns = play.record.now_ns()
    what = f"it has stood for {seconds:g} s"
    timeout_s = seconds + 10
    partition.await_state(what, lambda: play.record.now_ns() - since_ns > seconds * 1e9, timeout_s)
