"""What groups of a schedule have committed, and what is there of it.

What a coordinator confirms all its successors know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from highwater.exploration.asking import Asking
from highwater.exploration.committers import NUMBER, Committer
from highwater.exploration.coordinators import COORDINATED_S, as_at_first, moved_on
from highwater.exploration.logs import ReplicaLog
from highwater.exploration.members import Members
from highwater.exploration.views import MOST, Log, Positioned, Promised
from highwater.faults.targets import OFFSETS
from highwater.harness.errors import DeadlineError
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import find_coordinator
from highwater.harness.probes.positions import committed_in
from highwater.harness.wait import wait_until


@dataclass(slots=True)
class Positions:
    """Of all groups of a schedule, which are about the partition `where`."""

    play: Play
    where: TopicPartition
    committers: dict[int, Committer] = field(default_factory=dict)
    members: dict[int, Members] = field(default_factory=dict)  # of the groups that have some
    _told: set[int] = field(default_factory=set)  # brokers of whose damage the timeline knows

    def of(self, number: int) -> Committer:
        """The group of this number, which begins with nothing."""
        if number not in self.committers:
            self.committers[number] = Committer(self.play, self.where, number)
        return self.committers[number]

    def members_of(self, number: int) -> Members:
        """Of the group of this number, which has none at first."""
        if number not in self.members:
            self.members[number] = Members(self.of(number))
        return self.members[number]

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
        """Which groups are told less than they were confirmed, or were confirmed less than that;
        what cannot be read; and how members stand.
        """
        told = [
            f"{each.name} is told {each.told}, and {max(each.confirmed)} was confirmed"
            for each in self.committers.values()
            if each.told is not None and each.confirmed and each.told < max(each.confirmed)
        ]
        went = [words for each in self.committers.values() for words in each.went_back]
        begun = {number: each for number, each in self.members.items() if each.have_begun}
        overtaken = {
            number: each.former.member.broker
            for number, each in begun.items()
            if each.former is not None and each.are_overtaken
        }
        return Positioned(
            back=(*went, *told),
            damaged=tuple(self._damaged(logs)),
            standings=tuple(sorted(f"group {each}" for each in begun.values())),
            overtaken=overtaken,
        )

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
        """What coordinators tell in the end, of groups that no member is in any more."""
        for number, each in self.committers.items():
            each.wait(timeout_s)
            if number in self.members and not each.is_busy:
                self.members[number].leave()
            each.learn()

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
