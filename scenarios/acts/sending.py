"""A client that sends while something goes wrong, whichever library it is made of."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import fields

from highwater.harness.clients.load import Load
from highwater.harness.clients.loading import can_be_told
from highwater.harness.foreign.abilities import WORDS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings

RATE_PER_S = 200
ENOUGH_RECORDS = 100  # half a second before, during and after
STALLED_S = 32  # the claim stalled-sends says so from 30 s on
REQUEST_TIMEOUT_S = 2.0
IMPATIENT = ProducerSettings(request_timeout_s=REQUEST_TIMEOUT_S)


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


def await_given_up(
    play: Play, partition: Partition, load: Load, most_s: float, records: int = 1
) -> None:
    """Wait until it has given up so many, or for so long: not every client ever does."""
    wanted, until_ns = load.failed + records, play.record.now_ns() + most_s * 1e9
    partition.await_state(
        f"it has given {records} records up, or does not",
        lambda: load.failed >= wanted or play.record.now_ns() > until_ns,
        most_s + 10,
    )


def as_told(play: Play, wanted: ProducerSettings) -> ProducerSettings:
    """Of these what its client can be told; for the rest the client goes by what it has itself."""
    usual, kafka = ProducerSettings(), play.cluster.kafka
    told = {
        each.name: getattr(wanted, each.name)
        for each in fields(wanted)
        if each.name not in WORDS or can_be_told(play.client, kafka, each.name)
    }
    return ProducerSettings.of(usual, **told)
