"""Groups without members, whose positions are committed by hand, and what is there of them.

A group commits one position after the other, each higher than the last one, as one does that reads
on; one request of it is under way at a time. What a coordinator confirms all its successors know.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from highwater.exploration.asking import Asking
from highwater.exploration.coordinators import COORDINATED_S, as_at_first, moved_on
from highwater.exploration.logs import ReplicaLog
from highwater.exploration.views import MOST, Log, Positioned, Promised
from highwater.faults.targets import OFFSETS
from highwater.harness.clients.standalone import Standalone
from highwater.harness.errors import ENVIRONMENT, DeadlineError, UsageError, in_words
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import find_coordinator
from highwater.harness.probes.positions import commit_position, committed_in, group_position
from highwater.harness.probes.wire import Wire
from highwater.harness.wait import wait_until

KEPT_S = 24 * 3600
STABLE_SINCE = "2.5"  # a coordinator is asked to wait for transactions that are open (KIP-447)
NUMBER = "[1-9][0-9]{0,8}"  # of a group, or of a producer
NOTHING = -1  # as a coordinator says that it knows of no position


def require_number(what: str, number: int) -> None:
    """Raises UsageError for one that the log of positions would not be read by."""
    if not re.fullmatch(NUMBER, str(number)):
        raise UsageError(f"expected a {what} from 1 on, of nine digits at most, saw {number}")


class Committer:
    """One group, by its number."""

    def __init__(self, play: Play, where: TopicPartition, number: int) -> None:
        self.name, self.number, self.where = f"group-{number}", number, where
        self.group = f"{where.topic}-{number}"
        self.asked = 0  # the highest position so far
        self.confirmed: set[int] = set()
        self.told: int | None = None  # by the coordinator, in the end
        self.is_undecided = False  # how its producer's last transaction ends, when all was healed
        self.asking = Asking(play.cluster, self.group, find=find_coordinator)
        self._play = play
        self._in_transactions = False
        self._thread: threading.Thread | None = None

    @property
    def _kept(self) -> Standalone:
        return Standalone(self._play.record, self.group, self.name, self.where)

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def commit(self) -> None:
        """The next position; returns at once."""
        self.asked += 1
        self._thread = threading.Thread(
            target=self._commit, args=(self.asked,), name=self.name, daemon=True
        )
        self._thread.start()

    def within(self, transaction: int) -> tuple[int, Callable[[Outcome, str], None]]:
        """The next position, and what is to be called when that transaction has ended."""
        self.asked, self._in_transactions = self.asked + 1, True
        position, began_ns = self.asked, time.monotonic_ns()
        self._kept.settle(position, began_ns, (Outcome.INVOKED, None), transaction)

        def ended(outcome: Outcome, told: str) -> None:
            self._kept.settle(position, began_ns, (outcome, told), transaction)
            if outcome is Outcome.OK:
                self.confirmed.add(position)

        return position, ended

    def learn(self, timeout_s: float) -> None:
        """What the coordinator tells when the last answer is there; nothing where it is not.

        A commit that is under way still may be confirmed after the question: nobody can tell then.
        Nor where the markers of a transaction may be due: before 2.5 no coordinator waits for them.
        """
        self.told = None
        if self._thread is not None:
            self._thread.join(timeout_s)
        if self.is_busy or (self._in_transactions and self.is_undecided):
            return
        try:
            self.told = self.asking.coordinator(self._fetch)
        except ENVIRONMENT as error:
            self._play.note(f"{self.name}: {in_words(error)}")

    def succeed(self) -> None:
        """Commit what the coordinator tells, as whoever takes a group over begins there.

        Where none is told that is the beginning of the log.
        """
        if self.told is not None:
            self._commit(max(self.told, 0))

    def _fetch(self, wire: Wire) -> int:
        knows = self._play.cluster.kafka.at_least(STABLE_SINCE)
        is_stable = self._in_transactions and knows
        told = group_position(wire, self.group, self.where, is_stable=is_stable)
        return NOTHING if told is None else told

    def _send(self, wire: Wire, position: int) -> None:
        commit_position(wire, self.group, self.where, position, kept_s=KEPT_S)

    def _commit(self, position: int) -> None:
        error = self._kept.commit(
            position, lambda: self.asking.coordinator(lambda wire: self._send(wire, position))
        )
        if error is None:
            self.confirmed.add(position)
        else:
            self._play.note(f"{self.name}: {error}")


@dataclass(slots=True)
class Positions:
    """Of all groups of a schedule, which are about the partition `where`."""

    play: Play
    where: TopicPartition
    committers: dict[int, Committer] = field(default_factory=dict)
    _told: set[int] = field(default_factory=set)  # brokers of whose damage the timeline knows

    def of(self, number: int) -> Committer:
        """The group of this number, which begins with nothing."""
        if number not in self.committers:
            self.committers[number] = Committer(self.play, self.where, number)
        return self.committers[number]

    @property
    def is_busy(self) -> bool:
        return any(each.is_busy for each in self.committers.values())

    def value_of(self, key: bytes | None, value: bytes | None) -> int | None:
        """Which position of which group a record of the offsets topic is; None for others.

        Raises DecodeError for one that is damaged, and for a position that no group of ours has.
        """
        told = committed_in(key, value)
        if told is None or (told.topic, told.partition) != (self.where.topic, self.where.partition):
            return None
        topic, _, number = told.group.rpartition("-")
        if topic != self.where.topic or not re.fullmatch(NUMBER, number):
            return None
        if not 0 <= told.offset < MOST:
            raise DecodeError(f"{told.group} commits no position {told.offset}")
        return int(number) * MOST + told.offset

    def promised(self, logs: Mapping[int, Log]) -> Promised:
        """What coordinators have confirmed, and up to where that goes in any log."""
        values = frozenset(
            each.number * MOST + position
            for each in self.committers.values()
            for position in each.confirmed
        )
        ends = [offset + 1 for log in logs.values() for offset, value, _ in log if value in values]
        return Promised(values=values, end_offset=max(ends, default=0), waiting=self.is_busy)

    def seen(self, logs: Mapping[int, ReplicaLog]) -> Positioned:
        """Which groups are told less than they were confirmed, and what cannot be read."""
        back = (
            f"{each.name} is told {each.told}, and {max(each.confirmed)} was confirmed"
            for each in self.committers.values()
            if each.told is not None and each.confirmed and each.told < max(each.confirmed)
        )
        return Positioned(back=tuple(back), damaged=tuple(self._damaged(logs)))

    def _damaged(self, logs: Mapping[int, ReplicaLog]) -> Iterator[str]:
        """In words, of each replica; the timeline is told of it once."""
        for broker, log in logs.items():
            if not log.problems:
                continue
            first, *others = log.problems
            told = f"broker {broker}: {first}{f', and {len(others)} more' if others else ''}"
            if broker not in self._told:
                self._told.add(broker)
                self.play.note(told)
            yield told

    def learn(self, timeout_s: float) -> None:
        for each in self.committers.values():
            each.learn(timeout_s)

    def kept(self) -> Partition:
        """The log of what groups commit, which is created when somebody asks."""
        cluster = self.play.cluster
        asking = Asking(cluster, "nobody", find=find_coordinator)
        with suppress(DeadlineError):
            wait_until(asking.is_coordinated, "the topic of positions", COORDINATED_S)
        as_at_first(cluster, OFFSETS)
        return Partition(self.play.scene, OFFSETS, cluster.brokers)

    def succeed(self) -> None:
        """Whoever takes a group over now begins where it is told, and commits that."""
        for each in self.committers.values():
            each.succeed()

    def succeed_elsewhere(self, timeout_s: float) -> None:
        """Another coordinator, if there is one, reads the log; who takes a group over commits."""
        if not self.committers:
            return
        is_alone = len(self.play.cluster.brokers) == 1
        who = "the only broker goes on coordinating" if is_alone else "another broker coordinates"
        self.play.step(f"{who}, and whoever takes a group over begins there")
        moved_on(self.play.cluster, OFFSETS)
        self.learn(timeout_s)
        self.succeed()
