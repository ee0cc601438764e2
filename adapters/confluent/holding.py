"""What a member of a group holds: partitions it is assigned, and how far it has got in them."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError
from confluent_kafka import TopicPartition as Assigned

from highwater.adapters.dialogue import Dialogue, Order, tell_clients
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.polls import Polls
from highwater.harness.workloads.handed import NO_OFFSET, Key, Records, sorted_out

TICK_S = 0.05
METADATA, GENERATION = b"CGMDv2:", struct.Struct("=i")  # rd_kafka_consumer_group_metadata_write


class Holding:
    """One consumer; whatever it is assigned anew it reads under another name of the record.

    `leaving` is called before partitions are given up, while they are still held.
    """

    def __init__(
        self, order: Order, history: History, dialogue: Dialogue, configured: dict[str, Any]
    ) -> None:
        self._name, self._group = order["client"], order["group"]
        self._history = history
        self._dialogue = dialogue
        self._isolation = configured["isolation.level"]
        # Kept when a partition is revoked, for what was on its way is handed out.
        self._reading: dict[Key, Polls] = {}
        self._positions: dict[Key, int] = {}
        self._moved: set[Key] = set()  # positions that have not been told
        self._transaction: int | None = None
        self._incarnations: dict[str, int] = {}  # of topics
        self.held: set[Key] = set()
        self.handed = 0
        self.leaving: Callable[[], None] = lambda: None
        self.forget: Callable[[Key], None] = lambda _key: None
        self.consumer = Consumer(configured)

    def subscribe(self, asked: Order) -> None:
        """Read the `topics` that it is asked to, and no others."""
        self._incarnations |= asked.get("incarnations", {})
        self.consumer.subscribe(
            list(asked["topics"]),
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )

    def within(self, transaction: int) -> None:
        """What is handed out from now on belongs to this transaction."""
        self._transaction = transaction
        for polls in self._reading.values():
            polls.within(transaction)

    def consume(self, records: int) -> Mapping[Key, Records]:
        """Record what comes next, if anything does within a moment; returns it."""
        messages = self.consumer.consume(records, timeout=TICK_S)
        now_ns = time.monotonic_ns()  # when all of them were handed out
        handed = sorted_out(messages)
        for key, each in handed.records.items():
            polls = self._reading[key]
            polls.extend(each.offsets, each.examined(), each.key_hashes(), now_ns)
            self._move(key, each.position)
            self.handed += len(each.offsets)
        for key, offset in handed.ends.items():
            self._move(key, offset)
        for message in handed.odd:
            self._hear(message.error())
        return handed.records

    def _hear(self, error: KafkaError | None) -> None:
        if error is None:
            self.complain(NO_OFFSET)
        elif error.fatal() or error.code() == KafkaError._FATAL:  # noqa: SLF001 - its own name
            self._dialogue.say("fatal", text=f"{error.name()}: {error.str()}")
            self._dialogue.stopping.wait()  # whatever is asked of the library now fails
        else:
            self.complain(f"{error.name()}: {error.str()}")

    def tell(self) -> None:
        moved = [[*key, self._positions[key]] for key in self._moved & self._positions.keys()]
        self._moved.clear()
        self._dialogue.say(
            "progress", handed=self.handed, lag_records=self._lag(), positions=sorted(moved)
        )

    def tell_offsets(
        self,
        event: str,
        offsets: Sequence[tuple[Any, ...]],
        at_ns: int | None = None,
        **more: int,
    ) -> None:
        told_ns = time.monotonic_ns() if at_ns is None else at_ns
        self._dialogue.say(event, group=self._group, at_ns=told_ns, offsets=offsets, **more)

    def complain(self, text: str) -> None:
        """Something went wrong, and it goes on."""
        self._dialogue.say("complaint", text=text)

    def read_anew(self, positions: Iterable[tuple[Key, int]]) -> None:
        """It has gone to these positions: from there on it reads under another name."""
        moved = [(key, position) for key, position in positions if key in self.held]
        self._begin_to_read([key for key, _ in moved])
        for key, position in moved:
            self._move(key, position)

    def _move(self, key: Key, position: int) -> None:
        """Everything below this has been handed out, or has no record to be handed out."""
        if key in self.held:
            self._positions[key] = position
            self._moved.add(key)

    def _lag(self) -> int | None:
        """How many records below the high watermark have not been handed out; None: not known."""
        lag = 0
        for key in self.held:
            marks = self.consumer.get_watermark_offsets(Assigned(*key), cached=True)
            if marks is None or marks[1] < 0 or key not in self._positions:
                return None
            lag += max(0, marks[1] - max(marks[0], self._positions[key]))
        return lag

    def _begin_to_read(self, keys: Sequence[Key]) -> None:
        name = self._history.reader(
            self._name, client_id=self._name, isolation=self._isolation, group_id=self._group
        )
        tell_clients(self._history, self._dialogue)
        for key in keys:
            where = TopicPartition(*key, self._incarnations.get(key[0], 1))
            self._reading[key] = self._history.polls(name, where)
        if self._transaction is not None:
            self.within(self._transaction)

    # -- what the client library tells

    def _assigned(self, _consumer: Consumer, assigned: list[Assigned]) -> None:
        keys = [(each.topic, each.partition) for each in assigned]
        self._begin_to_read(keys)
        self.held |= set(keys)
        self._say("assigned", assigned)

    def _revoked(self, _consumer: Consumer, revoked: list[Assigned]) -> None:
        # Before somebody else gets them: what was processed here is not to be repeated.
        self.leaving()
        self._forget(revoked)
        self._say("revoked", revoked)

    def _lost(self, _consumer: Consumer, lost: list[Assigned]) -> None:
        self._forget(lost)
        self._say("lost", lost)

    def _forget(self, partitions: list[Assigned]) -> None:
        for each in partitions:
            key = (each.topic, each.partition)
            self.held.discard(key)
            self._positions.pop(key, None)
            self.forget(key)

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


class Spans:
    """Offsets that follow upon each other, of each partition."""

    def __init__(self, handed: Mapping[Key, Records]) -> None:
        self.by_key = {key: records.spans() for key, records in handed.items()}

    @property
    def ends(self) -> dict[Key, int]:
        """One past the last offset of each partition."""
        return {key: spans[-1][1] for key, spans in self.by_key.items()}

    @property
    def told(self) -> list[tuple[Any, ...]]:
        """As an adapter says what was processed."""
        return sorted((*key, *span) for key, spans in self.by_key.items() for span in spans)

    def __len__(self) -> int:
        return sum(end - first for spans in self.by_key.values() for first, end in spans)
