"""A member of a share group (KIP-932): is handed records by turns, and acknowledges them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any

from confluent_kafka import AcknowledgeType, KafkaError, KafkaException, Message, ShareConsumer

from highwater.adapters.dialogue import PROGRESS_INTERVAL_S, Dialogue, Order
from highwater.harness.workloads.reaching import reached

TICK_S = 0.1
ANSWER_TIMEOUT_S = (
    10.0  # of an acknowledgement: who leads next is found meanwhile, or it is unknown
)
BATCH_RECORDS = 500
PROCESSING_S = 1.0  # of a batch, at most: the locks of all of it are held so long
UNKNOWN = "UNKNOWN"  # what the library says nothing of
TYPES = {"accept": AcknowledgeType.ACCEPT, "release": AcknowledgeType.RELEASE}
STEPS = {"accept": "accepted", "release": "released"}

Key = tuple[str, int]
Span = tuple[str, int, int, int, int | None]  # topic, partition, first offset, end, delivery count


class Sharer:
    """One share consumer with explicit acknowledgement: each poll's records before the next."""

    def __init__(self, order: Order, dialogue: Dialogue) -> None:
        self._group = order["group"]
        self._acknowledges: str = order["settings"]["acknowledges"]
        self._processing_s: float = order["settings"]["processing_s"]
        self._dialogue = dialogue
        self._handed = 0
        at_once = PROCESSING_S / self._processing_s if self._processing_s else BATCH_RECORDS
        self._batch_records = max(1, int(min(BATCH_RECORDS, at_once)))
        self.consumer = ShareConsumer(
            {
                **reached(order["bootstrap"]),
                "client.id": order["client"],
                "group.id": order["group"],
                "share.acknowledgement.mode": "explicit",
                "max.poll.records": self._batch_records,
            }
        )

    def some(self) -> None:
        """What comes next, if anything does within a moment, from hand to acknowledgement."""
        asked_ns = time.monotonic_ns()
        try:
            messages = list(self.consumer.poll(timeout=TICK_S))
        except KafkaException as error:
            self._complain(error.args[0])
            return
        for each in messages:
            wrong = each.error()
            if wrong is not None:
                self._complain(wrong)
        records = [each for each in messages if each.error() is None]
        if records:
            self._handed += len(records)
            told = list(spans(records))
            self._say("handed", asked_ns, told)
            if self._processing_s:
                # Whoever is stopped finishes it.
                threading.Event().wait(self._processing_s * len(records))
            self._acknowledge(records, told)

    def _acknowledge(self, records: Sequence[Message], told: Sequence[Span]) -> None:
        asked_ns = time.monotonic_ns()
        for each in records:
            self.consumer.acknowledge(each, TYPES[self._acknowledges])
        answers = self._committed()
        offsets = [
            (topic, partition, first, end, answers.get((topic, partition), UNKNOWN))
            for topic, partition, first, end, _ in told
        ]
        self._say(STEPS[self._acknowledges], asked_ns, offsets)

    def _committed(self) -> Mapping[Key, str | None]:
        """The error of each partition that was answered for, or None where there was none."""
        try:
            answers = self.consumer.commit_sync(ANSWER_TIMEOUT_S)
        except KafkaException as error:
            self._complain(error.args[0])
            return {}
        return {
            (where.topic, where.partition): None if wrong is None else wrong.args[0].name()
            for where, wrong in answers.items()
        }

    def tell(self) -> None:
        self._dialogue.say("progress", handed=self._handed)

    def _say(self, event: str, invoked_ns: int, offsets: Sequence[tuple[Any, ...]]) -> None:
        times = {"invoked_ns": invoked_ns, "at_ns": time.monotonic_ns()}
        self._dialogue.say(event, group=self._group, **times, offsets=offsets)

    def _complain(self, error: KafkaError) -> None:
        text = f"{error.name()}: {error.str()}"
        if error.fatal():
            self._dialogue.say("fatal", text=text)
            self._dialogue.stopping.wait()  # whatever is asked of the library now fails
        else:
            self._dialogue.say("complaint", text=text)


def spans(records: Sequence[Message]) -> Iterator[Span]:
    """Offsets that follow upon each other and have been handed out as often."""
    placed = sorted(
        (each.topic() or "", each.partition() or 0, each.offset() or 0, each.delivery_count() or 0)
        for each in records
    )
    numbered = enumerate(placed)
    for (topic, partition, _, count), group in groupby(
        numbered, lambda one: (*one[1][:2], one[1][2] - one[0], one[1][3])
    ):
        offsets = [record[2] for _, record in group]
        yield topic, partition, offsets[0], offsets[-1] + 1, count or None


def share(order: Order, dialogue: Dialogue) -> None:
    """The role "sharer"."""
    member = Sharer(order, dialogue)
    with closing(member.consumer):
        member.consumer.subscribe(order["topics"])
        dialogue.say("ready")
        told_s = time.monotonic()
        while not dialogue.stopping.is_set():
            member.some()
            if time.monotonic() - told_s >= PROGRESS_INTERVAL_S:
                member.tell()
                told_s = time.monotonic()
        member.tell()
