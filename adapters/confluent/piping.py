"""A member of a pipeline: reads, makes one record of each that it is handed, and commits both."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any, Protocol

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException
from confluent_kafka import TopicPartition as Assigned

from highwater.adapters.confluent.consuming import answers
from highwater.adapters.confluent.holding import Holding, Spans
from highwater.adapters.dialogue import (
    PROGRESS_INTERVAL_S,
    Dialogue,
    Order,
    recording,
    tell_clients,
)
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.wait import wait_until
from highwater.harness.workloads.handed import ABORTED, Key, Records
from highwater.harness.workloads.members import configured
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import Named, ProducerSettings, RecordingProducer
from highwater.harness.workloads.transactions import AbortDemandedError, TransactionalProducer

CHUNK_S = 0.02  # of processing, after which what was made is sent
ASK_S = 1.0
REWIND_TIMEOUT_S = 60.0
UNTOLD = "UNKNOWN"  # nobody can tell how a transaction ended


class Batch:
    """What is handed out at once: of a transaction, or between two commits."""

    def __init__(self, handed: Mapping[Key, Records]) -> None:
        self._handed = handed
        self.spans = Spans(handed)

    @property
    def positions(self) -> list[tuple[str, int, int]]:
        """At which whoever comes next begins."""
        return sorted((*key, end) for key, end in self.spans.ends.items())

    def chunks(self, records: int) -> Iterator[tuple[Key, Sequence[int | None]]]:
        """Neighbours of one partition, at most so many: the values that they have."""
        for key, each in self._handed.items():
            seen = each.examined()
            told = zip(seen.values.tolist(), seen.foreign.tolist(), strict=True)
            values = [None if foreign else value for value, foreign in told]
            for start in range(0, len(values), records):
                yield key, values[start : start + records]


class Way(Protocol):
    """How what is made gets to the sink, and positions are committed."""

    def prepare(self) -> None: ...

    def pass_on(self, batch: Batch) -> bool:
        """Whether the next batch follows upon this one; else it is read again."""
        ...


class Making:
    """Takes its time for each record, and sends what it makes of it."""

    def __init__(self, order: Order) -> None:
        settings = order["settings"]
        self._into, self._partitions = order["into"], order["partitions"]
        self._incarnation = order.get("incarnations", {}).get(self._into, 1)
        self._processing_s: float = settings["processing_s"]
        at_once = CHUNK_S / self._processing_s if self._processing_s else settings["records"]
        self._chunk_records = max(1, int(min(settings["records"], at_once)))

    def make(self, batch: Batch) -> Iterator[tuple[TopicPartition, Sequence[int | None]]]:
        """To where each chunk goes, and of what it is made."""
        for (_topic, partition), inputs in batch.chunks(self._chunk_records):
            if self._processing_s:
                # Whoever is stopped finishes it.
                threading.Event().wait(self._processing_s * len(inputs))
            number = partition % self._partitions
            yield TopicPartition(self._into, number, self._incarnation), inputs


class Within:
    """What is sent and the positions of what it was made of are one transaction."""

    def __init__(self, producer: TransactionalProducer, holding: Holding, making: Making) -> None:
        self._producer = producer
        self._holding = holding
        self._making = making

    def prepare(self) -> None:
        self._holding.within(self._producer.transaction + 1)

    def pass_on(self, batch: Batch) -> bool:
        number = self._producer.transaction + 1
        try:
            committed = self._transact(batch)
        except InfrastructureError as error:
            self._answer(batch, number, UNTOLD)
            self._holding.complain(f"it begins anew, for it could not go on: {error}")
            self._producer.renew()
            return False
        self._answer(batch, number, None if committed else ABORTED)
        return committed

    def _transact(self, batch: Batch) -> bool:
        producer, holding = self._producer, self._holding
        producer.begin()
        try:
            for where, inputs in self._making.make(batch):
                producer.hand_over(where, len(inputs), made_of=inputs)
            holding.tell_offsets("processed", batch.spans.told)
            offsets = [Assigned(*each) for each in batch.positions]
            holding.tell_offsets("commit", batch.positions, transaction=producer.transaction)
            producer.send_offsets(offsets, holding.consumer.consumer_group_metadata())
        except AbortDemandedError as error:
            holding.complain(f"its transaction is aborted: {error}")
            producer.abort()
            return False
        return producer.settle()

    def _answer(self, batch: Batch, number: int, error: str | None) -> None:
        told = [(*each, error) for each in batch.positions]
        self._holding.tell_offsets("committed", told, transaction=number)


class Apart:
    """What is sent, and the positions, each for itself: one may be there without the other."""

    def __init__(
        self, producer: RecordingProducer, holding: Holding, making: Making, *, commits_first: bool
    ) -> None:
        self._producer = producer
        self._holding = holding
        self._making = making
        self._commits_first = commits_first

    def prepare(self) -> None:
        """Nothing: there is no transaction."""

    def pass_on(self, batch: Batch) -> bool:
        if self._commits_first:
            self._commit(batch)
        sent = [
            self._producer.send(where, len(inputs), made_of=inputs)
            for where, inputs in self._making.make(batch)
        ]
        self._producer.flush()
        if not all(each.all_acked for each in sent):
            self._holding.complain("some of what it sent was not acknowledged")
            return False
        self._holding.tell_offsets("processed", batch.spans.told)
        if not self._commits_first:
            self._commit(batch)
        return True

    def _commit(self, batch: Batch) -> None:
        """The harness hears of it before it is sent, and of the answer."""
        self._holding.tell_offsets("commit", batch.positions)
        offsets = [Assigned(*each) for each in batch.positions]
        try:
            done = self._holding.consumer.commit(offsets=offsets, asynchronous=False)
            told = answers(None, done)
        except KafkaException as error:
            told = answers(error.args[0], offsets)
        self._holding.tell_offsets("committed", told)


def rewind(holding: Holding) -> None:
    """Go on where the group has committed: what was handed out since is handed out again."""
    positions: dict[Key, int] = {}

    def asked() -> Mapping[Key, int]:
        wanted = [Assigned(*key) for key in sorted(holding.held)]
        try:
            found = holding.consumer.committed(wanted, timeout=ASK_S)
        except KafkaException as error:
            raise LookupError(str(error)) from error
        if any(each.error for each in found):
            raise LookupError(", ".join(str(each.error) for each in found if each.error))
        positions.update({(each.topic, each.partition): each.offset for each in found})
        return positions

    if not holding.held:
        return
    wait_until(asked, "the positions that the group has committed", REWIND_TIMEOUT_S)
    for key, position in positions.items():
        _seek(holding.consumer, key, position)
    holding.read_anew((key, max(0, position)) for key, position in positions.items())


def _seek(consumer: Consumer, key: Key, position: int) -> None:
    target = Assigned(*key, position if position >= 0 else OFFSET_BEGINNING)

    def sought() -> bool:
        try:
            consumer.seek(target)
        except KafkaException as error:  # it has just been assigned, and is not read yet
            raise LookupError(str(error)) from error
        return True

    wait_until(sought, f"{key[0]}-{key[1]} to be read from {position} on", REWIND_TIMEOUT_S)


def pipe(order: Order, dialogue: Dialogue) -> None:
    """The role "pipe"."""
    with recording(order) as history:
        holding = Holding(order, history, dialogue, _configured(order))
        with closing(holding.consumer):
            try:
                with _producer(order, history) as producer:
                    tell_clients(history, dialogue)
                    holding.subscribe(order)
                    dialogue.say("ready")
                    _go_on(order, holding, _way(order, producer, holding), dialogue)
            except (KafkaException, InfrastructureError) as error:
                # Fatal: nothing can be sent any more. That is evidence, and no accident.
                dialogue.say("fatal", text=f"it can pass nothing on any more: {error}")
                dialogue.stopping.wait()
            holding.tell()


def _configured(order: Order) -> dict[str, Any]:
    own = {"protocol": "classic", "static": False, "library": {}}
    return configured({**order, "settings": {**own, **order["settings"]}})


def _producer(
    order: Order, history: History
) -> AbstractContextManager[TransactionalProducer | RecordingProducer]:
    settings, values = ProducerSettings(**order["producer"]), Values(order["first_value"])
    client, bootstrap = order["client"], order["bootstrap"]
    # The member reads under its own name, and no client can be called so.
    named = Named(f"{client}#producer", client, order["seat"], order["group"])
    if order["settings"]["commits"] == "within":
        return TransactionalProducer(bootstrap, history, values, settings, named=named)
    return RecordingProducer(bootstrap, history, settings, values, named=named)


def _way(
    order: Order, producer: TransactionalProducer | RecordingProducer, holding: Holding
) -> Way:
    making = Making(order)
    if isinstance(producer, TransactionalProducer):
        return Within(producer, holding, making)
    commits_first = order["settings"]["commits"] == "before"
    return Apart(producer, holding, making, commits_first=commits_first)


def _go_on(order: Order, holding: Holding, way: Way, dialogue: Dialogue) -> None:
    told_s = time.monotonic()
    while not dialogue.stopping.is_set():
        for asked in dialogue.asked():
            holding.subscribe(asked)
        way.prepare()
        batch = Batch(holding.consume(order["settings"]["records"]))
        if len(batch.spans) and not way.pass_on(batch):
            rewind(holding)
        if time.monotonic() - told_s >= PROGRESS_INTERVAL_S:
            holding.tell()
            told_s = time.monotonic()
