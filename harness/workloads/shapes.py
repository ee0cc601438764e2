"""How a producer makes the records of a topic, and which one it is that has ended."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from confluent_kafka import KafkaError, Message

from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.record.sends import Sends
from highwater.harness.workloads.encoding import Encoded, Encoder
from highwater.harness.workloads.examining import values_of
from highwater.harness.workloads.keys import Keys, Numbers, Produced, hashes_of
from highwater.harness.workloads.pattern import (
    HEADER,
    JSON,
    KEY,
    Marking,
    Markings,
    Patterns,
    require_no_keys,
)
from highwater.harness.workloads.payload import encoder, value_of

MARK = encoder(0)
Delivered = Callable[[KafkaError | None, Message], None]


class Patterned:
    """Makes payloads of a pattern, as `Encoder` makes those that are ours as a whole."""

    def __init__(self, marking: Marking, size_bytes: int) -> None:
        self._before, self._after = marking.before, marking.after
        self._is_inside = marking.kind == JSON
        self._marks = Encoder(max(0, size_bytes - len(self._before) - len(self._after)))

    def all(self, values: range) -> Encoded:
        """Those of these values, which follow upon each other."""
        if not self._is_inside:
            checksums = np.full(len(values), zlib.crc32(self._before), np.int64)
            return Encoded([self._before] * len(values), checksums)
        before, after = self._before, self._after
        contents = [before + mark + after for mark in self._marks.all(values).contents]
        return Encoded(contents, np.fromiter(map(zlib.crc32, contents), np.int64, len(contents)))


class OwnKeys(Keys):
    """Each record has its mark for a key."""

    def __init__(self) -> None:
        super().__init__(0)

    @property
    def are_there(self) -> bool:
        return True

    def of(self, value: int) -> bytes:
        return MARK(value)[0]

    def tell(self, sends: Sends, where: TopicPartition | ByKey) -> None:
        """Which ones these are sent with; none of them chooses a partition."""
        assert isinstance(where, TopicPartition)
        values = sends.values
        hashes = hashes_of([self.of(value) for value in values])
        # In turn, as `Sends.keyed` takes them: that of a value is at its remainder.
        sends.keyed(np.roll(hashes, values.start % len(hashes)))


class Headed(Keys):
    """Each record has its mark for a header."""

    def __init__(self, count: int, choice: str, header: str) -> None:
        super().__init__(count, choice)
        self._header = header

    def messages(self, values: Sequence[int], contents: Sequence[bytes]) -> list[Produced]:
        """As a client library is handed the records of these values."""
        made = super().messages(values, contents)
        for value, message in zip(values, made, strict=True):
            message["headers"] = [(self._header, MARK(value)[0])]
        return made

    def told(self, values: Sequence[int]) -> dict[str, Any]:
        """The same header of these, as an adapter is told."""
        return {"header": self._header, "headers": [MARK(value)[0].decode() for value in values]}


@dataclass(frozen=True, slots=True)
class Shape:
    """Of the records of a topic; without a marking they are ours as a whole."""

    keys: Keys
    encoder: Encoder | Patterned
    marking: Marking | None = None

    def values_of(self, messages: Sequence[Message]) -> Numbers:
        """Of records that this producer has sent: no checks."""
        if self.marking is None:
            return values_of([message.value() or b"" for message in messages])
        return np.array([self.value_in(message) for message in messages], np.int64)

    def value_in(self, message: Message) -> int:
        """The same of one."""
        if self.marking is None:
            return value_of(message.value() or b"")
        return value_of(self.marking.mark_of(message))

    def value_handed(self, message: Produced) -> int:
        """The same of one that the library has not taken."""
        if self.marking is None:
            return value_of(message["value"])
        headers = dict(message.get("headers", ()))
        return value_of(self.marking.mark(message.get("key"), message["value"], headers))


class Reported:
    """What a library reports of a record, with the headers of that: it tells none itself."""

    __slots__ = ("_headers", "_message")

    def __init__(self, message: Message, headers: list[tuple[str, bytes]]) -> None:
        self._message, self._headers = message, headers

    def headers(self) -> list[tuple[str, bytes]]:
        """Those that it was sent with."""
        return self._headers

    def __getattr__(self, name: str) -> Any:
        """Everything else is as it is reported."""
        return getattr(self._message, name)


def reporting(delivered: Delivered, record: Produced) -> Delivered:
    """A callback of one record with headers."""

    def told(error: KafkaError | None, message: Message) -> None:
        delivered(error, cast("Message", Reported(message, record["headers"])))

    return told


class Shapes:
    """Of the records of one producer, by the topics that it sends to."""

    def __init__(self, size_bytes: int, keyed: tuple[int, str], patterns: Patterns) -> None:
        """`keyed` is how many keys there are, and how they are chosen."""
        self._size_bytes, self._keyed = size_bytes, keyed
        self._markings = Markings(patterns)
        self._ours = Shape(Keys(*keyed), Encoder(size_bytes))
        self._shapes: dict[Marking, Shape] = {}

    def of(self, topic: str) -> Shape:
        """As its records look."""
        marking = self._markings.get(topic)
        if marking is None:
            return self._ours
        if marking not in self._shapes:
            self._shapes[marking] = self._patterned(marking)
        return self._shapes[marking]

    def _patterned(self, marking: Marking) -> Shape:
        keys = self._ours.keys
        if marking.kind == KEY:
            require_no_keys(marking.pattern, self._keyed[0])
            keys = OwnKeys()
        elif marking.kind == HEADER:
            keys = Headed(*self._keyed, marking.name)
        return Shape(keys, Patterned(marking, self._size_bytes), marking)
