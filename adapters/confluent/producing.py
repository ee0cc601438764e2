"""A producer that sends at a rate, or as fast as it is let, until it is told to stop."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field

import numpy as np
from confluent_kafka import KafkaException

from highwater.adapters.confluent.dialogue import (
    PROGRESS_INTERVAL_S,
    Dialogue,
    Order,
    recording,
    tell_clients,
)
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.sends import Numbers
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer, Tally

TICK_S = 0.005
AT_ONCE = 1000  # records of one tick, for one partition: Kafka's own producer sticks to one as well


@dataclass(slots=True)
class Gap:
    """The longest time in which nothing was acknowledged, from the beginning of sending on."""

    acked: int = 0
    since_ns: int = field(default_factory=time.monotonic_ns)
    longest_ns: int = 0

    def look(self, acked: int) -> None:
        now_ns = time.monotonic_ns()
        self.longest_ns = max(self.longest_ns, now_ns - self.since_ns)
        if acked > self.acked:
            self.acked, self.since_ns = acked, now_ns


class _Due:
    """How many records are due by a moment, and when each was; without a rate as many as may be."""

    def __init__(self, rate_per_s: float | None) -> None:
        self._rate_per_s = rate_per_s
        self._began_s = time.monotonic()
        self._sent = 0

    def by(self, now_s: float) -> int:
        if self._rate_per_s is None:
            return AT_ONCE
        return int(self._rate_per_s * (now_s - self._began_s)) - self._sent

    def take(self, count: int) -> Numbers | None:
        """When each of the next ones was due, in nanoseconds."""
        first, self._sent = self._sent, self._sent + count
        if self._rate_per_s is None:
            return None
        numbers = np.arange(first + 1, first + count + 1)
        due_ns = self._began_s * 1e9 + numbers * (1e9 / self._rate_per_s)
        return due_ns.astype(np.int64)


def produce(order: Order, dialogue: Dialogue) -> None:
    """The role "producer"."""
    with recording(order) as history:
        try:
            _produce(order, dialogue, history)
        except (KafkaException, InfrastructureError) as error:
            # Fatal: nothing can be sent any more. That is evidence, and no accident.
            dialogue.say("fatal", text=f"it can send nothing more: {error}")
            dialogue.stopping.wait()


def _produce(order: Order, dialogue: Dialogue, history: History) -> None:
    settings = ProducerSettings(**order["settings"])
    values = Values(order["first_value"])
    wheres = [TopicPartition(order["topic"], number) for number in range(order["partitions"])]
    bootstrap, name = order["bootstrap"], order["client"]
    with RecordingProducer(bootstrap, history, settings, values, name=name) as producer:
        tell_clients(history, dialogue)
        producer.await_metadata(wheres)
        dialogue.say("ready")
        gap = Gap()
        try:
            _send(producer, wheres, order["rate_per_s"], dialogue, gap)
            producer.flush()
        finally:
            _tell(dialogue, producer.tally, gap)


def _send(
    producer: RecordingProducer,
    wheres: list[TopicPartition],
    rate_per_s: float | None,
    dialogue: Dialogue,
    gap: Gap,
) -> None:
    """Send until told to stop; a rate goes on while nothing is acknowledged: an open loop."""
    tally = producer.tally
    due, told_s = _Due(rate_per_s), time.monotonic()
    for where in itertools.cycle(wheres):
        if dialogue.stopping.is_set():
            return
        now_s = time.monotonic()
        left = due.by(now_s)
        if left > 0:
            some = min(left, AT_ONCE)
            producer.send(where, some, due.take(some))
        producer.poll(0 if left > AT_ONCE else TICK_S)
        gap.look(tally.acked)
        if now_s - told_s >= PROGRESS_INTERVAL_S:
            _tell(dialogue, tally, gap)
            told_s = now_s


def _tell(dialogue: Dialogue, tally: Tally, gap: Gap) -> None:
    dialogue.say(
        "progress",
        acked=tally.acked,
        failed=tally.failed,
        unknown=tally.unknown,
        longest_gap_s=gap.longest_ns / 1e9,
    )
