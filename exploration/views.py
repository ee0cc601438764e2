"""What is seen of a partition and its replicas at one moment, and what that comes down to.

Plain values: who is how in relation to the leader, how near to a loss that is, and whether there is
one. No release of Kafka is known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from highwater.exploration.transacted import Transacted
from highwater.harness.model import PartitionState

State = tuple[str, ...]  # the leader, then the followers in the order of their words

Log = tuple[tuple[int, int | None, int | None], ...]  # offset, value, leader epoch of each record

BESIDE = "beside:"  # a state begins so of another partition
MOST = 1_000_000  # positions of a group: they are called number * MOST + position


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
    """What a leader has acknowledged on behalf of all in sync."""

    values: frozenset[int] = frozenset()
    end_offset: int = 0  # one past the last of them
    waiting: bool = False  # something more is under way
    once: Mapping[int, int | None] = field(default_factory=dict)  # may be there, here alone
    standings: tuple[str, ...] = ()  # of idempotent producers


@dataclass(frozen=True, slots=True)
class Positioned:
    """Of groups; `back` tells which know of a lower position than was confirmed, in the end.

    `damaged` tells which replicas have records that nobody can read: these are left out. Where
    groups have members, `standings` are their words, and `overtaken` has groups whose former member
    may commit a position below a confirmed one, and the broker that it asks.
    """

    back: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    standings: tuple[str, ...] = ()
    overtaken: Mapping[int, int] = field(default_factory=dict)

    def danger(self, leader: int) -> int:
        """2: who is overtaken asks a broker that leads no more. 1: it asks the one that leads."""
        if any(broker != leader for broker in self.overtaken.values()):
            return 2
        return int(bool(self.overtaken))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One look; brokers by number. `marks` are high watermarks, None where nobody answers."""

    partition: PartitionState | None
    ends: Mapping[int, int | None]
    marks: Mapping[int, int | None]
    logs: Mapping[int, Log]
    promised: Promised = field(default_factory=Promised)
    dead: AbstractSet[int] = frozenset()
    troubles: Mapping[int, str] = field(default_factory=dict)  # what is open around a broker
    impatient: AbstractSet[int] = frozenset()  # leaders that soon take who lags out of the ISR
    transacted: Transacted | None = None  # where there are transactions
    quorum: str = ""  # what is wrong with the voters
    positioned: Positioned | None = None  # where what is looked at is what groups commit
    beside: View | None = None  # of another partition on the same brokers

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(self.ends)

    @property
    def leader(self) -> int:
        return -1 if self.partition is None else self.partition.leader

    @property
    def isr(self) -> tuple[int, ...]:
        return () if self.partition is None else self.partition.isr

    @property
    def in_sync_followers(self) -> list[int]:
        return [each for each in self.isr if each != self.leader and each not in self.dead]

    @property
    def is_settled(self) -> bool:
        """All replicas are in sync, with one log end offset that is the high watermark as well.

        And every transaction is decided.
        """
        return self.is_replicated and (self.transacted is None or self.transacted.is_stable)

    @property
    def is_replicated(self) -> bool:
        offsets = {*self.ends.values(), *self.marks.values()}
        alike = set(self.isr) == set(self.brokers) and len(offsets) == 1 and None not in offsets
        return alike and (self.beside is None or self.beside.is_replicated)

    def described(self) -> dict[str, Any]:
        """By broker, as a schedule keeps it; null where nobody answers."""
        return {
            "leader": self.leader,
            "isr": list(self.isr),
            "log_end_offsets": {str(broker): end for broker, end in self.ends.items()},
            "high_watermarks": {str(broker): mark for broker, mark in self.marks.items()},
            **self._transactions_described(),
            **({} if self.beside is None else {"beside": self.beside.described()}),
        }

    def _transactions_described(self) -> dict[str, Any]:
        told = self.transacted
        if told is None:
            return {}
        return {
            "last_stable_offset": told.last_stable,
            "producers": [words for _, words in told.standings],
        }

    @property
    def is_beyond_hope(self) -> bool:
        """Something that was acknowledged is in no log any more."""
        if self.beside is not None and self.beside.is_beyond_hope:
            return True
        return bool(self.promised.values.intersection(*map(self.missing, self.logs)))

    def is_as(self, other: View) -> bool:
        """Whether nothing has moved between two looks."""
        mine, others = (
            (each.partition, each.ends, each.marks, each.transacted, each.promised.standings)
            for each in (self, other)
        )
        if self.beside is None or other.beside is None:
            return mine == others
        return mine == others and self.beside.is_as(other.beside)

    def values(self, broker: int) -> list[int | None]:
        return [value for _, value, _ in self.logs[broker]]

    def lacks(self, broker: int) -> bool:
        """Whether its log is without something that was acknowledged."""
        return bool(self.missing(broker))

    def missing(self, broker: int) -> frozenset[int]:
        """What was acknowledged, and is not in its log.

        A position that is gone is missed by nobody while the last one of its group is a later one:
        whoever reads the log, or begins where the group is told, has that one.
        """
        values = self.values(broker)
        gone = self.promised.values.difference(values)
        if self.positioned is None:
            return gone
        last = {value // MOST: value for value in values if value is not None}
        return frozenset(each for each in gone if last.get(each // MOST, -1) < each)


def sign(one: int | None, other: int | None) -> str:
    if one is None or other is None:
        return "?"
    return "<" if one < other else ">" if one > other else "="


def state_of(view: View) -> State:
    """Brokers' numbers do not count, and neither does how many records there are."""
    voters = (f"quorum {view.quorum}",) if view.quorum else ()
    return (*_replicas(view), *_neighbour(view), *voters)


def _neighbour(view: View) -> State:
    """In few words, or no state would ever come again."""
    if view.beside is None:
        return ()
    leader = view.beside.leader
    who = "nobody" if leader < 0 else "the same" if leader == view.leader else "another"
    waiting = " waiting" if view.beside.promised.waiting else ""
    return (f"{BESIDE} {who} leads, danger {danger_of(view.beside).level}{waiting}",)


def _replicas(view: View) -> State:
    if view.leader < 0:
        return (
            "nobody leads",
            *sorted("dead" if each in view.dead else "up" for each in view.ends),
        )
    followers = [_follower(view, each) for each in view.brokers if each != view.leader]
    words = view.transacted.words if view.transacted else ()
    groups = view.positioned.standings if view.positioned else ()
    return (_leader(view), *sorted(followers), *words, *groups, *view.promised.standings)


def _leader(view: View) -> str:
    leader = view.leader
    words = [
        "impatient" if leader in view.impatient else "patient",
        "dead" if leader in view.dead else "",
        f"HW{sign(view.marks.get(leader), view.ends.get(leader))}LEO",
        "lacks" if leader in view.logs and view.lacks(leader) else "",
        "waiting" if view.promised.waiting else "",
        view.troubles.get(leader, ""),
    ]
    return " ".join(filter(None, ["leader", *words]))


def _follower(view: View, broker: int) -> str:
    words = [
        "dead" if broker in view.dead else "",
        "" if broker in view.isr else "out",
        f"log{_beside(view, broker)}leader",
        "lacks" if view.lacks(broker) else "",
        f"HW{sign(view.marks[broker], view.ends[broker])}LEO",
        f"HW{sign(view.marks[broker], view.marks.get(view.leader))}leader",
        view.troubles.get(broker, ""),
    ]
    return " ".join(filter(None, words))


def _beside(view: View, broker: int) -> str:
    """How a log stands to the leader's: it is as long, shorter, longer, or they fork ("#")."""
    own, others = view.values(broker), view.values(view.leader)
    shared = min(len(own), len(others))
    return "#" if own[:shared] != others[:shared] else sign(len(own), len(others))


@dataclass(frozen=True, slots=True)
class Danger:
    """How near to a loss, 0 to 3; who must lead for it, which producer commit, or what arrive.

    What arrives is of a producer, `too_late`, or the marker to the broker `stray`. The partition
    beside is to be led by `heir_beside`. The former member of the group `overtaken` may commit.
    """

    level: int = 0
    heir: int | None = None
    heir_beside: int | None = None
    deceived: int | None = None
    too_late: int | None = None
    stray: int | None = None
    overtaken: int | None = None


def danger_of(view: View) -> Danger:
    """Of two partitions whichever is nearer; see `_danger_of`."""
    own = _danger_of(view)
    beside = Danger() if view.beside is None else _danger_of(view.beside)
    return own if own.level >= beside.level else Danger(beside.level, heir_beside=beside.heir)


def _danger_of(view: View) -> Danger:
    """3: a member of the ISR lacks what was acknowledged, or what the leader calls committed.

    2: the leader's high watermark is below what was acknowledged. 1: that of somebody in sync is.
    Of members of groups see `Positioned`.
    A fork as such is no danger: records of acks=1 fork on every release until somebody truncates.
    """
    if view.leader < 0 or view.leader not in view.logs:
        return Danger()
    for follower in view.in_sync_followers:
        if view.lacks(follower) and not view.lacks(view.leader):
            return Danger(3, follower)
        if _lacks_committed(view, follower):
            return Danger(3, follower)
    groups = view.positioned or Positioned()
    level = max(_of_marks(view), groups.danger(view.leader))
    if view.transacted is None:
        return Danger(level, overtaken=next(iter(groups.overtaken), None))
    transacted = view.transacted
    near = transacted.danger(view.marks[view.leader] == view.ends[view.leader])
    return Danger(
        max(level, near),
        deceived=transacted.deceived if near == 3 else None,
        too_late=transacted.too_late,
        stray=transacted.stray,
    )


def _of_marks(view: View) -> int:
    stale = [each for each in view.isr if _is_stale(view, each)]
    return 2 if view.leader in stale else int(bool(stale))


def _lacks_committed(view: View, follower: int) -> bool:
    mark = view.marks[view.leader]
    if not mark:
        return False
    committed = view.logs[view.leader][:mark]
    return len(committed) == mark and view.logs[follower][:mark] != committed


def _is_stale(view: View, broker: int) -> bool:
    mark = view.marks.get(broker)
    return mark is not None and mark < view.promised.end_offset
