"""Reads what an application was given and what it made of it: whole records, of any payload."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaException, Message
from confluent_kafka import TopicPartition as Assigned

from highwater.harness.errors import DeadlineError
from highwater.harness.model import TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.workloads.handed import sorted_ends
from highwater.harness.workloads.reaching import reached
from highwater.harness.workloads.reader import SETTINGS

BATCH_RECORDS = 5_000
ANSWER_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Content:
    """What a record's identity is found in."""

    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes]


class Found(NamedTuple):
    """A record where it stands."""

    where: TopicPartition
    offset: int
    content: Content


def positions_of(
    bootstrap: str, group: str, wheres: Sequence[TopicPartition]
) -> dict[TopicPartition, int]:
    """What a group has committed, of partitions in which it has; nothing that is pending counts.

    Raises LookupError when its coordinator does not tell.
    """
    settings = {**SETTINGS, **reached(bootstrap), "group.id": group}
    with closing(Consumer(settings)) as consumer:
        asked = [Assigned(where.topic, where.partition) for where in wheres]
        try:
            told = consumer.committed(asked, timeout=ANSWER_TIMEOUT_S)
        except KafkaException as error:
            raise LookupError(f"nobody tells the positions of {group}: {error}") from error
    wrong = [each.error for each in told if each.error is not None]
    if wrong:
        raise LookupError(f"nobody tells the positions of {group}: {wrong[0]}")
    return {
        where: each.offset
        for where, each in zip(wheres, told, strict=True)
        if each.offset is not None and each.offset >= 0
    }


class Whole:
    """All committed records of partitions, up to the ends that the caller knows."""

    def __init__(self, bootstrap: str, ends: Mapping[TopicPartition, int]) -> None:
        self._bootstrap = bootstrap
        self._ends = ends
        self._wheres = {(where.topic, where.partition): where for where in ends}
        self._at = dict.fromkeys(ends, 0)
        self.first: dict[TopicPartition, int] = {}  # offsets below which records were deleted

    def read(self, timeout_s: float = 30.0) -> Iterator[Found]:
        """Raises DeadlineError when it gets no further for so long."""
        settings = {**reached(self._bootstrap), "group.id": "contract"}
        with closing(Consumer({**SETTINGS, **settings})) as consumer:
            places = [Assigned(where.topic, where.partition, 0) for where in self._ends]
            consumer.assign(places)
            deadline_s = time.monotonic() + timeout_s
            while self._is_below():
                before = sum(self._at.values())
                yield from self._taken(consumer.consume(BATCH_RECORDS, timeout=0.2))
                if sum(self._at.values()) > before:
                    deadline_s = time.monotonic() + timeout_s
                if left_s(deadline_s - time.monotonic()) <= 0:
                    raise DeadlineError(
                        f"waited {timeout_s:.1f} s to read on to {self._ends}, got to {self._at}"
                    )
            self._ask_starts(consumer)

    def _ask_starts(self, consumer: Consumer) -> None:
        for (topic, partition), where in self._wheres.items():
            told = consumer.get_watermark_offsets(
                Assigned(topic, partition), timeout=ANSWER_TIMEOUT_S
            )
            if told is not None:
                self.first[where] = told[0]

    def _is_below(self) -> bool:
        return any(self._at[where] < end for where, end in self._ends.items())

    def _taken(self, messages: Sequence[Message]) -> Iterator[Found]:
        ends = sorted_ends(messages)
        for message in messages:
            key, offset = (message.topic() or "", message.partition() or 0), message.offset()
            where = self._wheres.get(key)
            if message.error() is not None or where is None or offset is None:
                continue
            self._at[where] = offset + 1
            headers = dict(message.headers() or [])
            told = {name: value for name, value in headers.items() if isinstance(value, bytes)}
            yield Found(where, offset, Content(message.key(), message.value(), told))
        for key, offset in ends.items():
            if key in self._wheres:
                self._at[self._wheres[key]] = max(offset, self._at[self._wheres[key]])
