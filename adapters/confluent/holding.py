"""What a member of a group holds: partitions it is assigned, and how far it has got in them."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError
from confluent_kafka import TopicPartition as Assigned

from highwater.adapters.dialogue import Dialogue, Order
from highwater.adapters.reading import Reading
from highwater.harness.record.history import History
from highwater.harness.workloads.callbacks import whole
from highwater.harness.workloads.handed import NO_OFFSET, Key, Records, sorted_out
from highwater.harness.workloads.pattern import Markings

TICK_S = 0.05
METADATA, GENERATION = b"CGMDv2:", struct.Struct("=i")  # rd_kafka_consumer_group_metadata_write


class Holding:
    """One consumer, and what it reads.

    `leaving` is called before partitions are given up, while they are still held.
    """

    def __init__(
        self, order: Order, history: History, dialogue: Dialogue, configured: dict[str, Any]
    ) -> None:
        isolation = configured["isolation.level"]
        self._reading = Reading(order, history, dialogue, isolation=isolation)
        self._markings = Markings(history.patterns)
        self._dialogue = dialogue
        self.leaving: Callable[[], None] = lambda: None
        self.forget: Callable[[Key], None] = lambda _key: None
        self.tell_offsets, self.within = self._reading.tell_offsets, self._reading.within
        self.consumer = Consumer(configured)

    @property
    def held(self) -> set[Key]:
        """The partitions that it has been assigned, and has not given up."""
        return self._reading.held

    def subscribe(self, asked: Order) -> None:
        """Read the `topics` that it is asked to, or whatever has its `prefix`, and no others."""
        self._reading.learn(asked)
        self.consumer.subscribe(
            [matching(asked["prefix"])] if "prefix" in asked else list(asked["topics"]),
            on_assign=whole(self._assigned),
            on_revoke=whole(self._revoked),
            on_lost=whole(self._lost),
        )

    def consume(self, records: int) -> Mapping[Key, Records]:
        """Record what comes next, if anything does within a moment; returns it."""
        messages = self.consumer.consume(records, timeout=TICK_S)
        now_ns = time.monotonic_ns()  # when all of them were handed out
        handed = sorted_out(messages, self._markings)
        for key, each in handed.records.items():
            self._reading.append(key, each, now_ns)
        for key, offset in handed.ends.items():
            self._reading.move(key, offset)
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
        self._reading.tell(self._lag())

    def complain(self, text: str) -> None:
        """Something went wrong, and it goes on."""
        self._dialogue.say("complaint", text=text)

    def read_anew(self, positions: Iterable[tuple[Key, int]]) -> None:
        """It has gone to these positions: from there on it reads under another name."""
        moved = [(key, position) for key, position in positions if key in self.held]
        self._reading.begin([key for key, _ in moved])
        for key, position in moved:
            self._reading.move(key, position)

    def _lag(self) -> int | None:
        """How many records below the high watermark have not been handed out; None: not known."""
        lag, positions = 0, self._reading.positions
        for key in self.held:
            marks = self.consumer.get_watermark_offsets(Assigned(*key), cached=True)
            if marks is None or marks[1] < 0 or key not in positions:
                return None
            lag += max(0, marks[1] - max(marks[0], positions[key]))
        return lag

    # -- what the client library tells

    def _assigned(self, _consumer: Consumer, assigned: list[Assigned]) -> None:
        self._reading.take(_keys(assigned), self._generation(), time.monotonic_ns())

    def _revoked(self, _consumer: Consumer, revoked: list[Assigned]) -> None:
        # Before somebody else gets them: what was processed here is not to be repeated.
        self.leaving()
        self._give_up("revoked", revoked)

    def _lost(self, _consumer: Consumer, lost: list[Assigned]) -> None:
        self._give_up("lost", lost)

    def _give_up(self, why: str, partitions: list[Assigned]) -> None:
        keys = _keys(partitions)
        for key in keys:
            self.forget(key)
        self._reading.give_up(why, keys, self._generation(), time.monotonic_ns())

    def _generation(self) -> int | None:
        """As far as the library tells it, by how it writes its group metadata down for others."""
        told = self.consumer.consumer_group_metadata()
        if not isinstance(told, bytes) or not told.startswith(METADATA):
            return None
        (generation,) = GENERATION.unpack_from(told, len(METADATA))
        return None if generation < 0 else int(generation)


def matching(prefix: str) -> str:
    """For librdkafka, and with KIP-848 for brokers, which match names as a whole."""
    return f"^{prefix.replace('.', '[.]')}.*"


def _keys(partitions: Sequence[Assigned]) -> list[Key]:
    return [(each.topic, each.partition) for each in partitions]


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
