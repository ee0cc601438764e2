"""Produce requests by hand: one to one broker, never repeated, so that its outcome is exact.

A client library asks for metadata first, waits, and sends again; a schedule that is to be played
again wants none of that.
"""

from __future__ import annotations

import struct
import threading
import time
import zlib
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum

from crc32c import crc32c

from highwater.harness.errors import UsageError
from highwater.harness.gate.headers import PRODUCE, is_flexible
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.probes.wire import Wire
from highwater.harness.record.history import History
from highwater.harness.workloads.payload import encoder

ENCODE = encoder(0)
TRANSACTIONAL = 1 << 4  # of a batch's attributes
LEGACY, CURRENT = 2, 3  # versions of Produce: before 0.11, and since; 4.x knows the latter still
BROKER_TIMEOUT_MS = 8000
MOST_RECORDS = 10_000  # some 600 KB, which brokers take by default
PATIENCE_S = 12.0  # longer than the broker's own
# What a broker says before anything was appended. Everything else may have happened: a leader that
# was deposed while it waited for followers says NOT_LEADER_OR_FOLLOWER of what it has appended.
REFUSED = frozenset({"NOT_ENOUGH_REPLICAS"})


class Acks(StrEnum):
    ALL = "all"
    ONE = "1"


@dataclass(frozen=True, slots=True)
class Producing:
    """Whose batch it is: of an idempotent producer, which numbers its records, in a transaction."""

    producer_id: int = -1
    epoch: int = -1
    sequence: int = -1  # of the first record
    transactional_id: str | None = None


NOBODY = Producing()


def require_request(records: object, acks: object) -> None:
    """Raises UsageError for no number of records that one request can have, and for no acks."""
    if type(records) is not int or not 1 <= records <= MOST_RECORDS:
        raise UsageError(
            f"expected a request of 1 to {MOST_RECORDS:,} records, saw {records!r:.120}"
        )
    if not isinstance(acks, Acks):
        raise UsageError(f"expected acks to be Acks.ALL or Acks.ONE, saw {acks!r:.120}")


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a request is for, and which format of messages the broker reads."""

    address: str
    where: TopicPartition
    has_record_batches: bool


class Request:
    """Records sent at once, and recorded; `outcome` is INVOKED while it is under way."""

    def __init__(
        self, target: Target, history: History, client: str, values: range, acks: Acks
    ) -> None:
        self.values, self.acks = values, acks
        self.outcome, self.error = Outcome.INVOKED, ""
        self.offset = -1  # of the first of them, once it is known
        self._target = target
        self._sends = history.sends(client, target.where, acks.value, values)
        self._thread = threading.Thread(target=self._send, name="request", daemon=True)
        encoded = [ENCODE(each) for each in values]
        self._contents = [content for content, _ in encoded]
        self._sends.invoke(values, [checksum for _, checksum in encoded])
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return self.outcome is not Outcome.INVOKED

    def await_over(self, timeout_s: float) -> None:
        """Returns when it is over, or so long has passed."""
        self._thread.join(timeout_s)

    @property
    def acked(self) -> range:
        """Which of its values a broker has acknowledged on behalf of all in sync."""
        is_promised = self.outcome is Outcome.OK and self.acks is Acks.ALL
        return self.values if is_promised else range(0)

    def _send(self) -> None:
        try:
            code, self.offset = self._ask()
        except (OSError, EOFError, ValueError) as error:
            self._end(Outcome.UNKNOWN, f"{type(error).__name__}: {error}")
            return
        name = NAMES.get(code, str(code))
        if code:
            self._end(Outcome.FAILED if name in REFUSED else Outcome.UNKNOWN, name)
            return
        for place, value in enumerate(self.values):
            self._sends.acknowledged(value, self.offset + place)
        self.outcome = Outcome.OK

    def _end(self, outcome: Outcome, error: str) -> None:
        for value in self.values:
            self._sends.ended(value, outcome, error)
        self.outcome, self.error = outcome, error

    def _ask(self) -> tuple[int, int]:
        version = CURRENT if self._target.has_record_batches else LEGACY
        return ask_once(self._target.address, self._body(), version)

    def _body(self) -> bytes:
        now_ms = int(time.time() * 1000)
        if self._target.has_record_batches:
            content = record_batch(self._contents, now_ms)
            return produce_body(self._target.where, content, self.acks)
        content = message_set(self._contents, now_ms)
        return produce_body(self._target.where, content, self.acks, version=LEGACY)


def ask_once(address: str, body: bytes, version: int = CURRENT) -> tuple[int, int]:
    """Send what `produce_body` made; returns the error code, and the offset of the first record.

    Raises OSError, EOFError or ValueError for no answer, or none that can be read.
    """
    with closing(Wire.at(address, PATIENCE_S)) as wire:
        return read_produced(wire.ask(PRODUCE, version, body))


def produce_body(
    where: TopicPartition,
    content: bytes,
    acks: Acks,
    transactional_id: str | None = None,
    version: int = CURRENT,
) -> bytes:
    """A Produce request for one partition, behind its header."""
    body = Writer(is_flexible(PRODUCE, version))
    if version >= CURRENT:
        body.nullable_string(transactional_id)
    body.int16(-1 if acks is Acks.ALL else 1)
    body.int32(BROKER_TIMEOUT_MS)

    def partition(number: int) -> None:
        body.int32(number)
        body.nullable_bytes(content)
        body.tags()

    def topic(name: str) -> None:
        body.nullable_string(name)
        body.array((where.partition,), partition)
        body.tags()

    body.array((where.topic,), topic)
    body.tags()
    return bytes(body.buffer)


def read_produced(answer: Reader) -> tuple[int, int]:
    """The error code and the offset of the first record; what follows them is left unread.

    Raises ValueError for an answer that is not about one partition.
    """
    topics = _count(answer)
    answer.string()
    partitions = _count(answer)
    answer.int32()  # the partition
    if (topics, partitions) != (1, 1):
        raise ValueError(f"expected an answer for one partition, saw {topics} and {partitions}")
    return answer.int16(), answer.int64()


def _count(answer: Reader) -> int:
    return answer.unsigned_varint() - 1 if answer.flexible else answer.int32()


def message_set(contents: list[bytes], now_ms: int) -> bytes:
    """Messages of magic 1, for brokers before 0.11."""
    out = bytearray()
    for content in contents:
        body = struct.pack(">bbqii", 1, 0, now_ms, -1, len(content)) + content
        out += struct.pack(">qiI", 0, 4 + len(body), zlib.crc32(body)) + body
    return bytes(out)


def record_batch(contents: list[bytes], now_ms: int, producing: Producing = NOBODY) -> bytes:
    """One batch of magic 2."""
    records = bytearray()
    for delta, content in enumerate(contents):
        body = Writer(flexible=False)
        body.int8(0)
        for number in (0, delta, -1, len(content)):  # timestamp, offset, no key
            body.varint(number)
        body.buffer += content
        body.varint(0)  # headers
        sized = Writer(flexible=False)
        sized.varint(len(body.buffer))
        records += sized.buffer + body.buffer
    count = len(contents)
    attributes = 0 if producing.transactional_id is None else TRANSACTIONAL
    head = struct.pack(">hiqq", attributes, count - 1, now_ms, now_ms)
    head += struct.pack(">qhii", producing.producer_id, producing.epoch, producing.sequence, count)
    tail = head + bytes(records)
    return struct.pack(">qiibI", 0, 9 + len(tail), -1, 2, crc32c(tail)) + tail
