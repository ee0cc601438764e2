"""What a producer with a transactional id sends in its transactions: records, or a position."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from highwater.exploration.committers import Committer
from highwater.faults.targets import OFFSETS
from highwater.harness.gate.headers import PRODUCE, TXN_OFFSET_COMMIT
from highwater.harness.gate.primitives import Reader
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import (
    add_group,
    add_partition,
    position_body,
    read_positioned,
)
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import Wire
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads.requests import (
    CURRENT,
    ENCODE,
    Acks,
    Producing,
    produce_body,
    read_produced,
    record_batch,
)

PRODUCE_V2, POSITION_V2 = 12, 5  # the versions that transactions v2 begin with
Request = tuple[bytes, int]  # the body, and the version of that


@dataclass(slots=True)
class Values:
    """What was sent, by what may be read of it in the end; what is in neither set may be or not.

    Of a transaction of which nobody has said how it ended all may be, or nothing: `doubtful`.
    """

    sent: set[int] = field(default_factory=set)
    committed: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    doubtful: list[frozenset[int]] = field(default_factory=list)


class Cargo(Protocol):
    """Of one producer; what of it is `open` has no end on the record yet."""

    api: ClassVar[int]  # by which it is sent
    where: TopicPartition  # to the leader of this
    values: Values

    @property
    def is_open(self) -> bool: ...

    def join(self, wire: Wire, owner: Identity) -> None:
        """Have the coordinator know where the transaction sends, which v2 does not ask for."""

    def next(self, count: int, transaction: int, producing: Producing) -> Request:
        """What is sent next, which is on the record from here on."""

    def code(self, answer: Reader) -> int:
        """The error in the answer to it; 0 for none."""

    def settle(self, outcome: Outcome, told: str) -> None:
        """The transaction has ended so."""


class Records:
    """Records of one partition."""

    api: ClassVar[int] = PRODUCE

    def __init__(self, play: Play, where: TopicPartition, client: str, name: str) -> None:
        self.where, self.values = where, Values()
        self._play, self._client, self._name = play, client, name
        self._open: list[Sends] = []

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def join(self, wire: Wire, owner: Identity) -> None:
        add_partition(wire, self._name, owner, self.where)

    def next(self, count: int, transaction: int, producing: Producing) -> Request:
        values = self._play.scene.identities(self.where, count)
        sends = self._play.record.history.sends(self._client, self.where, "all", values)
        sends.within(transaction)
        sends.invoke(values, [ENCODE(each)[1] for each in values])
        self._open.append(sends)
        self.values.sent.update(values)
        version = PRODUCE_V2 if is_v2(self._play) else CURRENT
        contents = [ENCODE(each)[0] for each in values]
        batch = record_batch(contents, int(time.time() * 1000), producing)
        return produce_body(self.where, batch, Acks.ALL, self._name, version), version

    def code(self, answer: Reader) -> int:
        return read_produced(answer)[0]

    def settle(self, outcome: Outcome, told: str) -> None:
        values = [value for sends in self._open for value in sends.values]
        for sends in self._open:
            for value in sends.values:
                if outcome is Outcome.OK:
                    sends.acknowledged(value, NO_OFFSET)
                else:
                    sends.ended(value, outcome, told)
        if outcome is Outcome.OK:
            self.values.committed.update(values)
        elif outcome is Outcome.FAILED:
            self.values.aborted.update(values)
        else:
            self.values.doubtful.append(frozenset(values))
        self._open.clear()


class Positions:
    """Of one group, the next one each time; what became of them its group knows."""

    api: ClassVar[int] = TXN_OFFSET_COMMIT

    def __init__(self, play: Play, committer: Committer, name: str) -> None:
        self.where, self.values = OFFSETS, Values()
        self._play, self._committer, self._name = play, committer, name
        self._open: list[Callable[[Outcome, str], None]] = []

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def join(self, wire: Wire, owner: Identity) -> None:
        add_group(wire, self._name, owner, self._committer.group)

    def next(self, count: int, transaction: int, producing: Producing) -> Request:  # noqa: ARG002
        position, ended = self._committer.within(transaction)
        self._open.append(ended)
        version = POSITION_V2 if is_v2(self._play) else 0
        about = self._committer.group, self._committer.where, position
        owner = Identity(producing.producer_id, producing.epoch)
        return position_body(self._name, owner, about, version), version

    def code(self, answer: Reader) -> int:
        return read_positioned(answer)

    def settle(self, outcome: Outcome, told: str) -> None:
        for ended in self._open:
            ended(outcome, told)
        self._open.clear()


def is_v2(play: Play) -> bool:
    """Whether producers have transactions v2 (KIP-890): no partition is added, each end raises the
    epoch.
    """
    kafka = play.cluster.kafka
    return kafka.kraft and kafka.at_least("4.0")
