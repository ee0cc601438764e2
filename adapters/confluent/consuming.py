"""A member of a consumer group: is assigned partitions, handed records, and commits them."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Assigned

from highwater.adapters.confluent.holding import Holding, Spans
from highwater.adapters.confluent.uncommitted import Uncommitted
from highwater.adapters.dialogue import PROGRESS_INTERVAL_S, Dialogue, Order, recording
from highwater.harness.record.history import History
from highwater.harness.workloads.callbacks import whole
from highwater.harness.workloads.handed import Key
from highwater.harness.workloads.members import configured

BATCH_RECORDS = 5_000
PROCESSING_S = 0.1  # of a batch, at most: what was done is told ten times a second
COMMIT_INTERVAL_S = 0.2


class Member:
    """Processes what it is handed, and commits it as its settings say."""

    def __init__(self, order: Order, history: History, dialogue: Dialogue) -> None:
        settings = order["settings"]
        self._commits_first = settings["commits"] == "before"
        self._is_automatic = settings["commits"] == "auto"
        self._reached: dict[Key, list[tuple[int, int]]] = defaultdict(list)  # with "auto"
        self._processing_s: float = settings["processing_s"]
        at_once = PROCESSING_S / self._processing_s if self._processing_s else BATCH_RECORDS
        self._batch_records = max(1, int(min(BATCH_RECORDS, at_once)))
        self._busy_s = 0.0  # of the next poll
        self._uncommitted = Uncommitted()
        self._began_ns = time.monotonic_ns()
        self.holding = Holding(
            order, history, dialogue, {**configured(order), "on_commit": whole(self._heard_commit)}
        )
        self.holding.leaving = self._leaving
        self.holding.forget = self._uncommitted.forget
        self.consumer = self.holding.consumer

    def hear(self, asked: Order) -> None:
        """It is told to read other topics, or to be busy."""
        if asked["do"] == "busy":
            self._busy_s = asked["for_us"] / 1e6
        else:
            self.holding.subscribe(asked)

    def some(self) -> None:
        """Record what comes next, if anything does within a moment."""
        asked_ns = time.monotonic_ns()
        handed = Spans(self.holding.consume(self._batch_records))
        if self._is_automatic:
            for key, end in handed.ends.items():
                self._reached[key].append((end, asked_ns))
        busy_s, self._busy_s = self._busy_s, 0.0
        if len(handed) or busy_s:
            self._process(handed, busy_s)

    def _process(self, handed: Spans, busy_s: float) -> None:
        """The harness hears what was done before any of it is committed, or else only after."""
        done = {key: end for key, end in handed.ends.items() if key in self.holding.held}
        if self._commits_first:
            self._uncommitted.reach(done)
            self._commit(wait=True)
        takes_s = self._processing_s * len(handed) + busy_s
        if takes_s > PROGRESS_INTERVAL_S:
            self.holding.tell()  # what it is at, for it may not live to say it
        if takes_s:
            # Whoever is stopped finishes it.
            threading.Event().wait(takes_s)
        self.holding.tell_offsets("processed", handed.told)
        if not self._commits_first and not self._is_automatic:
            self._uncommitted.reach(done)

    def commit(self) -> None:
        """Ask for a commit of what has been processed; the answer comes by and by."""
        if not self._uncommitted.is_asking:
            self._commit(wait=False)

    def _leaving(self) -> None:
        self._commit(wait=True)

    def _commit(self, *, wait: bool) -> None:
        """The harness hears of it before it is sent, and of the answer."""
        asked = self._uncommitted.take()
        if not asked:
            return
        self.holding.tell_offsets("commit", asked)
        offsets = [Assigned(*each) for each in asked]
        try:
            if wait:
                self._committed(None, self.consumer.commit(offsets=offsets, asynchronous=False))
            else:
                self._uncommitted.is_asking = True
                self.consumer.commit(offsets=offsets, asynchronous=True)
        except KafkaException as error:
            self._uncommitted.is_asking = False
            self._committed(error.args[0], offsets)

    def _heard_commit(self, error: KafkaError | None, offsets: list[Assigned]) -> None:
        """Of a commit that the library has made by itself the harness hears with its answer."""
        self._uncommitted.is_asking = False
        if self._is_automatic:
            offsets = [each for each in offsets if each.offset >= 0]
            asked = [(each.topic, each.partition, each.offset) for each in offsets]
            since = [self._since_ns((topic, number), at) for topic, number, at in asked]
            if asked:
                self.holding.tell_offsets("commit", asked, min(since))
        self._committed(error, offsets)

    def _since_ns(self, key: Key, position: int) -> int:
        """Before it was handed the record below a position, it cannot have been committed."""
        reached = self._reached[key]
        at = bisect_left(reached, (position, 0))
        since_ns = reached[at][1] if at < len(reached) else self._began_ns
        del reached[:at]
        return since_ns

    def _committed(self, error: KafkaError | None, offsets: Sequence[Assigned]) -> None:
        told = answers(error, offsets)
        self.holding.tell_offsets("committed", told)
        if not self._is_automatic:
            failed = [each[:3] for each in told if each[3] is not None]
            self._uncommitted.was_refused(failed, self.holding.held)


def answers(
    error: KafkaError | None, offsets: Sequence[Assigned]
) -> list[tuple[str, int, int, str | None]]:
    """As an adapter says what became of a commit."""
    told = []
    for each in offsets:
        wrong = each.error or error
        told.append((each.topic, each.partition, each.offset, wrong.name() if wrong else None))
    return told


def consume(order: Order, dialogue: Dialogue) -> None:
    """The role "member"."""
    with recording(order) as history:
        member = Member(order, history, dialogue)
        holding = member.holding
        with closing(member.consumer):
            holding.subscribe(order)
            dialogue.say("ready")
            told_s = committed_s = time.monotonic()
            while not dialogue.stopping.is_set():
                for asked in dialogue.asked():
                    member.hear(asked)
                member.some()
                now_s = time.monotonic()
                if now_s - committed_s >= COMMIT_INTERVAL_S:
                    member.commit()
                    committed_s = now_s
                if now_s - told_s >= PROGRESS_INTERVAL_S:
                    holding.tell()
                    told_s = now_s
            holding.tell()
