"""Moves of idempotent producers, which send a batch as often as it takes, and it is there once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.committers import require_number
from highwater.exploration.ground import Ground
from highwater.exploration.numbered import Numbered
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.requests import Acks, require_request

ACKNOWLEDGED_S = 0.8  # if all in sync fetch; otherwise it may well be after hours


class _OfIdempotent(Move):
    """Of one producer, by its number."""

    __slots__ = ()
    producer: int
    is_sent: ClassVar[bool] = True  # there is something to be waited for
    writes_records: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for no number that one can have."""
        require_number("producer", self.producer)

    def exists(self, kafka: Kafka) -> bool:
        return kafka.has_record_batches

    def fits(self, ground: Ground, view: View) -> bool:
        if not self.exists(ground.kafka) or view.leader < 1:
            return False
        silent = {*ground.down, *ground.frozen}
        known = ground.plot.idempotent.get(self.producer)
        return view.leader not in silent and self.may(known)

    def may(self, producer: Numbered | None) -> bool:
        """Whether it does this where it stands now; None has done nothing yet."""
        raise NotImplementedError

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        """Where it waits until its batch is acknowledged, if that is soon."""
        producer = ground.plot.producer(self.producer)
        ground.play.step(f"{producer.name} {self.told}")
        self.have(producer)
        if waits and self.is_sent:
            ground.soon(lambda: not producer.waits, ACKNOWLEDGED_S)

    @property
    def told(self) -> str:
        """What it does, on the timeline."""
        raise NotImplementedError

    def have(self, producer: Numbered) -> None:
        """Have it do this."""
        raise NotImplementedError


@move
@dataclass(frozen=True, slots=True)
class SendOnce(_OfIdempotent):
    """The next batch, of so many records; the one before is acknowledged, or given up."""

    producer: int
    records: int

    name: ClassVar[str] = "send_once"

    def __post_init__(self) -> None:
        """Raises UsageError for what nobody can send in one request."""
        _OfIdempotent.__post_init__(self)
        require_request(self.records, Acks.ALL)

    def may(self, producer: Numbered | None) -> bool:
        return producer is None or not producer.waits

    @property
    def told(self) -> str:
        return f"sends {self.records} in one request"

    def have(self, producer: Numbered) -> None:
        producer.send(self.records)


@move
@dataclass(frozen=True, slots=True)
class OnceLate(_OfIdempotent):
    """The next batch, of one record, whose first request is under way until it arrives."""

    producer: int

    name: ClassVar[str] = "once_late"
    is_sent: ClassVar[bool] = False

    def may(self, producer: Numbered | None) -> bool:
        return producer is None or not (producer.waits or producer.late)

    @property
    def told(self) -> str:
        return "sends one in a request that is under way from here on"

    def have(self, producer: Numbered) -> None:
        producer.send(1, is_late=True)


@move
@dataclass(frozen=True, slots=True)
class Again(_OfIdempotent):
    """What has no answer yet is sent again, to who leads by now."""

    producer: int

    name: ClassVar[str] = "again"

    def may(self, producer: Numbered | None) -> bool:
        return producer is not None and producer.waits

    @property
    def told(self) -> str:
        return "sends again what has no answer"

    def have(self, producer: Numbered) -> None:
        producer.again()


@move
@dataclass(frozen=True, slots=True)
class OnceArrives(_OfIdempotent):
    """The request that is late comes to its broker, whatever was sent meanwhile."""

    producer: int

    name: ClassVar[str] = "once_arrives"

    def may(self, producer: Numbered | None) -> bool:
        return producer is not None and producer.late is not None

    @property
    def told(self) -> str:
        return "has a request arrive that was late"

    def have(self, producer: Numbered) -> None:
        producer.arrive()
