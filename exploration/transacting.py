"""Moves of producers with transactional ids, of their coordinator, and of its markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.by_hand import ByHand
from highwater.exploration.errands import Errands
from highwater.exploration.ground import DELAYED, WITHHELD, Ground
from highwater.exploration.moves import ELECTED_S, elect
from highwater.exploration.steps import Move, move
from highwater.exploration.transactors import Standing, Transactor
from highwater.exploration.views import View
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.late_marker import LateMarker
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.errors import ENVIRONMENT
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.requests import Acks, require_request

GOES_ON = frozenset({Standing.READY, Standing.OPEN})


class _OfProducer(ByHand):
    """Of one producer, by its number; one request of it is under way at a time."""

    __slots__ = ()
    about: ClassVar[str] = "producer"
    producer: int

    def exists(self, kafka: Kafka) -> bool:
        return kafka.has_record_batches

    def fits(self, ground: Ground, view: View) -> bool:
        if not self.exists(ground.kafka) or view.leader < 1:
            return False
        other = self.writes_records if ground.positions is not None else self.commits_positions
        if other:  # it is of another log than that which is played on
            return False
        known = ground.transactors.get(self.producer)
        return self.may(known) if known is None or not known.is_busy else False

    def may(self, producer: Transactor | None) -> bool:
        """Whether it does this where it stands now; None has done nothing yet."""
        raise NotImplementedError

    def errands(self, ground: Ground) -> Errands:
        return ground.transactor(self.producer)

    def do(self, ground: Ground) -> None:
        self.have(ground.transactor(self.producer))

    def have(self, producer: Transactor) -> None:
        """Have it do this."""
        raise NotImplementedError


@move
@dataclass(frozen=True, slots=True)
class Claim(_OfProducer):
    """Another producer of this id begins, and fences the one before."""

    producer: int

    name: ClassVar[str] = "claim"

    def may(self, producer: Transactor | None) -> bool:
        return producer is None or producer.standing is not Standing.READY

    @property
    def told(self) -> str:
        return "begins anew, as the next producer of its id"

    def have(self, producer: Transactor) -> None:
        producer.claim()


class _OnTime(_OfProducer):
    """One request in the transaction that is open, or in a new one."""

    __slots__ = ()

    def may(self, producer: Transactor | None) -> bool:
        return producer is not None and producer.standing in GOES_ON

    def have(self, producer: Transactor) -> None:
        producer.write(1)


class _Late(_OfProducer):
    """One that is under way until it arrives; its producer waits for it no more."""

    __slots__ = ()

    def may(self, producer: Transactor | None) -> bool:
        return producer is not None and producer.standing in GOES_ON and not producer.late

    def have(self, producer: Transactor) -> None:
        producer.write_late(1)


@move
@dataclass(frozen=True, slots=True)
class Write(_OnTime):
    """One request in the transaction that is open, or in a new one."""

    producer: int
    records: int

    name: ClassVar[str] = "write"
    writes_records: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for what nobody can send in one request."""
        _OfProducer.__post_init__(self)
        require_request(self.records, Acks.ALL)

    @property
    def told(self) -> str:
        return f"sends {self.records} in its transaction"

    def have(self, producer: Transactor) -> None:
        producer.write(self.records)


@move
@dataclass(frozen=True, slots=True)
class WriteLate(_Late):
    """One request that is under way until it arrives; its producer waits for it no more."""

    producer: int

    name: ClassVar[str] = "write_late"
    writes_records: ClassVar[bool] = True

    @property
    def told(self) -> str:
        return "sends one in its transaction, which is under way from here on"


@move
@dataclass(frozen=True, slots=True)
class CommitWithin(_OnTime):
    """The next position of its group, which has no members, in the transaction that is open."""

    producer: int

    name: ClassVar[str] = "commit_within"
    commits_positions: ClassVar[bool] = True

    @property
    def told(self) -> str:
        return "commits the next position of its group in its transaction"


@move
@dataclass(frozen=True, slots=True)
class CommitLate(_Late):
    """One that is under way until it arrives; its producer waits for it no more."""

    producer: int

    name: ClassVar[str] = "commit_late"
    commits_positions: ClassVar[bool] = True

    @property
    def told(self) -> str:
        return "commits a position in its transaction, which is under way from here on"


@move
@dataclass(frozen=True, slots=True)
class Arrive(_OfProducer):
    """What is under way comes to the broker that it was sent to."""

    producer: int

    name: ClassVar[str] = "arrive"

    def may(self, producer: Transactor | None) -> bool:
        return producer is not None and producer.late is not None

    @property
    def told(self) -> str:
        return "has something arrive that was under way"

    def have(self, producer: Transactor) -> None:
        producer.arrive()


@move
@dataclass(frozen=True, slots=True)
class End(_OfProducer):
    """The transaction is to be committed, or aborted; only what was acknowledged is committed."""

    producer: int
    commit: bool

    name: ClassVar[str] = "end"

    def may(self, producer: Transactor | None) -> bool:
        if producer is None:
            return False
        is_broken = producer.standing is Standing.BROKEN and not self.commit
        return is_broken or producer.standing is Standing.OPEN

    @property
    def told(self) -> str:
        return f"asks for its transaction to be {'committed' if self.commit else 'aborted'}"

    def have(self, producer: Transactor) -> None:
        producer.end(commit=self.commit)


@move
@dataclass(frozen=True, slots=True)
class Coordinate(Move):
    """Another broker becomes the coordinator of all transactions, by a preferred election."""

    broker: int

    name: ClassVar[str] = "coordinate"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        if not ground.transactors or self.broker in ground.down:
            return False
        try:
            now = ground.play.cluster.metadata.partition(TRANSACTIONS)
        except ENVIRONMENT:
            return False
        return self.broker in now.isr and self.broker != now.leader

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        metadata = ground.play.cluster.metadata
        elect(ground, TRANSACTIONS, self.broker, "coordinate transactions")
        if waits:
            ground.soon(lambda: metadata.partition(TRANSACTIONS).leader == self.broker, ELECTED_S)


@move
@dataclass(frozen=True, slots=True)
class Withhold(Move):
    """Markers from the present coordinator to a broker are under way until they are released."""

    broker: int

    name: ClassVar[str] = WITHHELD

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return bool(ground.transactors) and (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        coordinator = ground.play.cluster.metadata.partition(TRANSACTIONS).leader
        if coordinator in ground.play.cluster.brokers:
            ground.open(self.name, self.broker, HoldMarkers(coordinator, self.broker))


@move
@dataclass(frozen=True, slots=True)
class DelayMarker(Move):
    """The next marker from the present coordinator to a broker is late, and another one is sent."""

    broker: int

    name: ClassVar[str] = DELAYED

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return bool(ground.transactors) and (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        coordinator = ground.play.cluster.metadata.partition(TRANSACTIONS).leader
        if coordinator in ground.play.cluster.brokers:
            ground.open(self.name, self.broker, LateMarker(coordinator, self.broker))
