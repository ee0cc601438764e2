"""A member of a consumer group: is assigned partitions, handed records, and commits them."""

from __future__ import annotations

import struct
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as Assigned

from highwater.adapters.confluent.dialogue import (
    PROGRESS_INTERVAL_S,
    Dialogue,
    Order,
    recording,
    tell_clients,
)
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.polls import Polls
from highwater.harness.workloads.handed import NO_OFFSET, Key, Records, sorted_out
from highwater.harness.workloads.reader import SETTINGS

BATCH_RECORDS = 5_000
PROCESSING_S = 0.1  # of a batch, at most: what was done is told ten times a second
TICK_S = 0.05
COMMIT_INTERVAL_S = 0.2
METADATA, GENERATION = b"CGMDv2:", struct.Struct("=i")  # rd_kafka_consumer_group_metadata_write


class Member:
    """One consumer; whatever it is assigned anew it reads under another name of the record."""

    def __init__(self, order: Order, history: History, dialogue: Dialogue) -> None:
        self._name, self._group = order["client"], order["group"]
        self._history = history
        self._dialogue = dialogue
        settings, library = order["settings"], order["settings"]["library"]
        self._isolation = library.get("isolation.level", SETTINGS["isolation.level"])
        self._commits_first = settings["commits"] == "before"
        self._is_automatic = settings["commits"] == "auto"
        self._reached: dict[Key, list[tuple[int, int]]] = defaultdict(list)  # with "auto"
        self._processing_s: float = settings["processing_s"]
        at_once = PROCESSING_S / self._processing_s if self._processing_s else BATCH_RECORDS
        self._batch_records = max(1, int(min(BATCH_RECORDS, at_once)))
        # Kept when a partition is revoked, for what was on its way is handed out.
        self._reading: dict[Key, Polls] = {}
        self._held: set[Key] = set()
        self._positions: dict[Key, int] = {}
        self._moved: set[Key] = set()  # positions that have not been told
        self._uncommitted: dict[Key, int] = {}
        self._began_ns = time.monotonic_ns()
        self.handed = 0
        self.consumer = Consumer({**_configured(order), "on_commit": self._heard_commit})

    def subscribe(self, topics: Sequence[str]) -> None:
        self.consumer.subscribe(
            list(topics),
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )

    def some(self) -> None:
        """Record what comes next, if anything does within a moment."""
        asked_ns = time.monotonic_ns()
        messages = self.consumer.consume(self._batch_records, timeout=TICK_S)
        now_ns = time.monotonic_ns()  # when all of them were handed out
        handed = sorted_out(messages)
        spans = {key: self._take(key, each, now_ns) for key, each in handed.records.items()}
        for key, offset in handed.ends.items():
            self._move(key, offset)
        for message in handed.odd:
            self._complain(message.error())
        if self._is_automatic:
            for key, each in spans.items():
                self._reached[key].append((each[-1][1], asked_ns))
        if spans:
            self._process(spans)

    def _complain(self, error: KafkaError | None) -> None:
        if error is None:
            self._dialogue.say("complaint", text=NO_OFFSET)
        elif error.fatal() or error.code() == KafkaError._FATAL:  # noqa: SLF001 - its own name
            self._dialogue.say("fatal", text=f"{error.name()}: {error.str()}")
            self._dialogue.stopping.wait()  # whatever is asked of the library now fails
        else:
            self._dialogue.say("complaint", text=f"{error.name()}: {error.str()}")

    def _process(self, handed: Mapping[Key, Sequence[tuple[int, int]]]) -> None:
        """The harness hears what was done before any of it is committed, or else only after."""
        done = {key: spans[-1][1] for key, spans in handed.items() if key in self._held}
        if self._commits_first:
            self._uncommitted |= done
            self._commit(wait=True)
        told = sorted((*key, *span) for key, spans in handed.items() for span in spans)
        if self._processing_s:
            records = sum(end - first for spans in handed.values() for first, end in spans)
            threading.Event().wait(self._processing_s * records)  # whoever is stopped finishes it
        self._tell_offsets("processed", told)
        if not self._commits_first and not self._is_automatic:
            self._uncommitted |= done

    def commit(self) -> None:
        """Ask for a commit of what has been processed; the answer comes by and by."""
        self._commit(wait=False)

    def tell(self) -> None:
        moved = [[*key, self._positions[key]] for key in self._moved & self._positions.keys()]
        self._moved.clear()
        self._dialogue.say(
            "progress", handed=self.handed, lag_records=self._lag(), positions=sorted(moved)
        )

    def _move(self, key: Key, position: int) -> None:
        """Everything below this has been handed out, or has no record to be handed out."""
        if key in self._held:
            self._positions[key] = position
            self._moved.add(key)

    def _take(self, key: Key, records: Records, now_ns: int) -> list[tuple[int, int]]:
        """Record what was handed out of a partition; returns the spans of its offsets."""
        self._reading[key].extend(records.offsets, records.examined(), now_ns)
        self._move(key, records.position)
        self.handed += len(records.offsets)
        return records.spans()

    def _lag(self) -> int | None:
        """How many records below the high watermark have not been handed out; None: not known."""
        lag = 0
        for key in self._held:
            marks = self.consumer.get_watermark_offsets(Assigned(*key), cached=True)
            if marks is None or marks[1] < 0 or key not in self._positions:
                return None
            lag += max(0, marks[1] - max(marks[0], self._positions[key]))
        return lag

    # -- what the client library tells

    def _assigned(self, _consumer: Consumer, assigned: list[Assigned]) -> None:
        name = self._history.reader(
            self._name, client_id=self._name, isolation=self._isolation, group_id=self._group
        )
        tell_clients(self._history, self._dialogue)
        keys = [(each.topic, each.partition) for each in assigned]
        self._reading |= {key: self._history.polls(name, TopicPartition(*key)) for key in keys}
        self._held |= set(keys)
        self._say("assigned", assigned)

    def _revoked(self, _consumer: Consumer, revoked: list[Assigned]) -> None:
        # Before somebody else gets them: what was processed here is not to be repeated.
        self._commit(wait=True)
        self._forget(revoked)
        self._say("revoked", revoked)

    def _lost(self, _consumer: Consumer, lost: list[Assigned]) -> None:
        self._forget(lost)
        self._say("lost", lost)

    def _commit(self, *, wait: bool) -> None:
        """The harness hears of it before it is sent, and of the answer."""
        if not self._uncommitted:
            return
        asked = sorted((*key, position) for key, position in self._uncommitted.items())
        self._uncommitted = {}
        self._tell_offsets("commit", asked)
        offsets = [Assigned(*each) for each in asked]
        try:
            if wait:
                self._committed(None, self.consumer.commit(offsets=offsets, asynchronous=False))
            else:
                self.consumer.commit(offsets=offsets, asynchronous=True)
        except KafkaException as error:
            self._committed(error.args[0], offsets)

    def _forget(self, partitions: list[Assigned]) -> None:
        for each in partitions:
            key = (each.topic, each.partition)
            self._held.discard(key)
            for known in (self._positions, self._uncommitted):
                known.pop(key, None)

    def _heard_commit(self, error: KafkaError | None, offsets: list[Assigned]) -> None:
        """Of a commit that the library has made by itself the harness hears with its answer."""
        if self._is_automatic:
            offsets = [each for each in offsets if each.offset >= 0]
            asked = [(each.topic, each.partition, each.offset) for each in offsets]
            since = [self._since_ns((topic, number), at) for topic, number, at in asked]
            if asked:
                self._tell_offsets("commit", asked, min(since))
        self._committed(error, offsets)

    def _since_ns(self, key: Key, position: int) -> int:
        """Before it was handed the record below a position, it cannot have been committed."""
        reached = self._reached[key]
        at = bisect_left(reached, (position, 0))
        since_ns = reached[at][1] if at < len(reached) else self._began_ns
        del reached[:at]
        return since_ns

    def _committed(self, error: KafkaError | None, offsets: list[Assigned]) -> None:
        answers = []
        for each in offsets:
            wrong = each.error or error
            answer = (each.topic, each.partition, each.offset, wrong.name() if wrong else None)
            answers.append(answer)
        self._tell_offsets("committed", answers)

    def _tell_offsets(
        self, event: str, offsets: Sequence[tuple[Any, ...]], at_ns: int | None = None
    ) -> None:
        told_ns = time.monotonic_ns() if at_ns is None else at_ns
        self._dialogue.say(event, group=self._group, at_ns=told_ns, offsets=offsets)

    def _say(self, event: str, partitions: list[Assigned]) -> None:
        named: list[Any] = sorted([each.topic, each.partition] for each in partitions)
        told = {"group": self._group, "at_ns": time.monotonic_ns(), "partitions": named}
        self._dialogue.say(event, generation=self._generation(), **told)

    def _generation(self) -> int | None:
        """As far as the library tells it, by how it writes its group metadata down for others."""
        told = self.consumer.consumer_group_metadata()
        if not isinstance(told, bytes) or not told.startswith(METADATA):
            return None
        (generation,) = GENERATION.unpack_from(told, len(METADATA))
        return None if generation < 0 else int(generation)


def _configured(order: Order) -> dict[str, Any]:
    """How the library is set."""
    settings = order["settings"]
    own: dict[str, Any] = {
        "enable.partition.eof": True,
        # Partitions that the topic is given are read a second later, not five minutes.
        "topic.metadata.refresh.interval.ms": 1_000,
        "bootstrap.servers": order["bootstrap"],
        "group.id": order["group"],
        "client.id": order["client"],
        "group.protocol": settings["protocol"],
        "enable.auto.commit": settings["commits"] == "auto",
    }
    if settings["protocol"] == "classic":
        own["session.timeout.ms"] = 6_000
    if settings["static"]:
        own["group.instance.id"] = order["seat"]
    return {**SETTINGS, **own, **settings["library"]}


def consume(order: Order, dialogue: Dialogue) -> None:
    """The role "member"."""
    with recording(order) as history:
        member = Member(order, history, dialogue)
        with closing(member.consumer):
            member.subscribe(order["topics"])
            dialogue.say("ready")
            told_s = committed_s = time.monotonic()
            while not dialogue.stopping.is_set():
                for asked in dialogue.asked():
                    member.subscribe(asked["topics"])
                member.some()
                now_s = time.monotonic()
                if now_s - committed_s >= COMMIT_INTERVAL_S:
                    member.commit()
                    committed_s = now_s
                if now_s - told_s >= PROGRESS_INTERVAL_S:
                    member.tell()
                    told_s = now_s
            member.tell()
