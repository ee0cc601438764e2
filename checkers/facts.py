"""What has to be known of a whole run before any part of it can be judged.

A survey of each part is put together with those of the others; it is small whatever the record's
size. Parts may be surveyed in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from highwater.checkers.contracts import Contract
from highwater.checkers.flushes import Flushed
from highwater.checkers.groups import GroupProgress, Unseen
from highwater.checkers.left_alone import LeftAlone
from highwater.checkers.owners import Handovers
from highwater.checkers.positions import Positions
from highwater.checkers.progress import Progress
from highwater.checkers.promises import Promises
from highwater.checkers.rows import LAST, NONE, Bools, Ints
from highwater.checkers.shares import Shares
from highwater.checkers.spans import (
    Block,
    Passages,
    Range,
    Reader,
    Steps,
    merged,
    moments_of,
    passages_of,
    timely_passages_of,
)
from highwater.harness.model import name_in_kafka
from highwater.harness.record.ends import ReplicaEnd, leader_of

Place = tuple[str, int]  # topic and partition
Log = tuple[Place, int]  # of a broker
Segment = tuple[Place, int, str]
BLOCK_BITS = 16  # offsets and values travel in blocks of so many bits


@dataclass(frozen=True, slots=True, order=True)
class Standing:
    """A record, by when it was acknowledged; or by the number of its operation: one that a reader
    was handed, or that a client was given and was acknowledged at `completed_ns`.
    """

    ended: int
    offset: int
    value: int
    completed_ns: int = NONE


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader that got to the end, or stood still."""

    place: Place
    invoked_ns: int
    client: str
    action: str
    offset: int | None
    completed_ns: int | None

    @property
    def as_witness(self) -> dict[str, int | str | None]:
        """As a witness shows it."""
        return {
            "topic": self.place[0],
            "partition": self.place[1],
            "offset": self.offset,
            "client": self.client,
            "invoked_ns": self.invoked_ns,
            "completed_ns": self.completed_ns,
        }

    @property
    def reader(self) -> Reader:
        return self.place, self.client

    @property
    def ran_backwards(self) -> bool:
        return self.completed_ns is not None and self.completed_ns < self.invoked_ns


@dataclass(slots=True)
class LogFacts:
    """Of one replica's log: its records, and the first offset of them.

    `problems` are damaged, and `unstamped` have no leader epoch, for their format is an older one.
    Of records that are sound and have no value, `nameless` has the offsets of those without a
    checksum, and `foreign` the checksums of the others.
    """

    records: int = 0
    problems: int = 0
    first: int = LAST
    unstamped: int = 0
    nameless: list[Range] = field(default_factory=list)
    foreign: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def take_in(self, other: LogFacts) -> None:
        self.records += other.records
        self.problems += other.problems
        self.unstamped += other.unstamped
        self.first = min(self.first, other.first)
        self.nameless = merged(self.nameless + other.nameless)
        self.foreign = np.union1d(self.foreign, other.foreign)


Firsts = dict[tuple[Place, str, int], Standing]  # by partition, client and block of offsets


@dataclass(slots=True)
class Facts:
    """Of one run, or of a part of it.

    `passed` has the spans of offsets that readers passed, when all is known. `acknowledged` has,
    for a client's block of offsets in a partition, the record of it that was acknowledged first,
    `given` the one of these that it was given first, and `handed` the one that it was handed first;
    `handed_within` a reader's first and last offset, and `steps` the polls that gave it a block;
    `passages` has how readers got through a partition, when all is known; `timely` lacks those of
    `backwards`, whose clocks ran so, and `timely_as_committed` also who reads uncommitted records.
    `unreadable` has offsets at which a reader could make out no
    value: all where nobody told which. Of a segment of a replica `begins` has the first position,
    `highest` the last offset, and `epochs` the position and the offset of its last record with a
    leader epoch, and that epoch; `checkpoints` the start offset and epoch of each entry, in order.
    """

    replicas: Mapping[Place, Sequence[ReplicaEnd]] = field(default_factory=dict)
    checkpoints: Mapping[Log, Sequence[tuple[int, int]]] = field(default_factory=dict)
    promises: Promises = field(default_factory=Promises)
    groups: Mapping[Place, Sequence[GroupProgress]] = field(default_factory=dict)
    unseen: Sequence[Unseen] = ()
    positions: Mapping[Place, Mapping[str, Positions]] = field(default_factory=dict)
    handovers: Sequence[Handovers] = ()
    left_alone: Sequence[LeftAlone] = ()
    shares: Sequence[Shares] = ()
    contracts: Sequence[Contract] = ()
    flushes: Mapping[str, Flushed] = field(default_factory=dict)  # by client
    followed: frozenset[Place] = frozenset()  # partitions that groups read
    failed: list[Ints] = field(default_factory=list)  # values of sends that failed
    nameless: set[Place] = field(default_factory=set)  # where sends have no value
    written: set[str] = field(default_factory=set)  # topics, by their names in Kafka
    unended: set[tuple[Place, str]] = field(default_factory=set)  # where who has open sends
    last_ns: int = NONE  # when the last thing happened that a client saw
    passed: Mapping[Place, Sequence[Range]] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    progress_by: dict[tuple[Place, str], Progress] = field(default_factory=dict)  # and client
    progress: dict[Place, Progress] = field(default_factory=dict)  # when all is known
    logs: dict[Log, LogFacts] = field(default_factory=dict)
    acknowledged: Firsts = field(default_factory=dict)
    given: Firsts = field(default_factory=dict)
    handed: Firsts = field(default_factory=dict)
    handed_within: dict[tuple[Place, str], Range] = field(default_factory=dict)
    steps: dict[Block, Steps] = field(default_factory=dict)
    backwards: set[Reader] = field(default_factory=set)
    untold: set[Reader] = field(default_factory=set)  # were handed records at unknown offsets
    passages: Passages = field(default_factory=dict)
    timely: Passages = field(default_factory=dict)
    timely_as_committed: Passages = field(default_factory=dict)
    unreadable: dict[Place, list[Range]] = field(default_factory=dict)
    highest: dict[Segment, int] = field(default_factory=dict)
    begins: dict[Segment, int] = field(default_factory=dict)
    epochs: dict[Segment, tuple[int, ...]] = field(default_factory=dict)

    def is_written(self, topic: str) -> bool:
        """Whether the run writes to it, or to another topic that had its name."""
        return name_in_kafka(topic) in self.written

    def take_in(self, other: Facts) -> None:
        """Add what another part has to say."""
        self.nameless |= other.nameless
        self.written |= other.written
        self.unended |= other.unended
        self.backwards |= other.backwards
        self.untold |= other.untold
        self.failed += other.failed
        self.readings += other.readings
        for sender, progress in other.progress_by.items():
            self.progress_by.setdefault(sender, Progress()).take_in(progress)
        for log, more in other.logs.items():
            self.logs.setdefault(log, LogFacts()).take_in(more)
        self.last_ns = max(self.last_ns, other.last_ns)
        _merge(self.acknowledged, other.acknowledged, min)
        _merge(self.given, other.given, min)
        _merge(self.handed, other.handed, min)
        _merge(self.handed_within, other.handed_within, spanned)
        _merge(self.highest, other.highest, max)
        _merge(self.unreadable, other.unreadable, lambda mine, more: merged([*mine, *more]))
        for block, steps in other.steps.items():
            self.steps[block] = self.steps[block].joined(steps) if block in self.steps else steps
        _merge(self.begins, other.begins, min)
        _merge(self.epochs, other.epochs, max)

    def finish(self) -> None:
        """Once all is known: from what a block or segment has to what those beyond it have."""
        for (place, client), progress in self.progress_by.items():
            in_transactions = self.promises.client(client).transactional
            mine = progress.without_waits if in_transactions else progress
            self.progress.setdefault(place, Progress()).take_in(mine)
        self.failed = [np.unique(np.concatenate(self.failed))] if self.failed else []
        self.readings.sort(key=lambda one: (one.place, one.invoked_ns, one.client, repr(one)))
        self._find_passages()
        self.passed = {
            place: merged(reach for each in passages for reach in each.reach)
            for place, passages in self.passages.items()
        }
        self.acknowledged = dict(_beyond(sorted(self.acknowledged.items(), reverse=True), min))
        self.given = dict(_beyond(sorted(self.given.items(), reverse=True), min))
        self.handed = dict(_beyond(sorted(self.handed.items(), reverse=True), min))
        self.highest = dict(_beyond(sorted(self.highest.items()), max))
        self.epochs = dict(_beyond(sorted(self.epochs.items()), lambda _, later: later))

    def _find_passages(self) -> None:
        """How readers got through partitions, and which of them are known to have done so when."""
        steps, self.steps = self.steps, {}
        self.passages = passages_of(steps, self.readings, self.promises)
        ends = [one for one in self.readings if one.action == "end" and one.ran_backwards]
        self.backwards |= {one.reader for one in ends if one.offset is not None and one.offset > 0}
        self.timely = self.timely_as_committed = self.passages
        if self.backwards or self.promises.uncommitted:
            self.timely, self.timely_as_committed = timely_passages_of(
                steps, self.readings, self.promises, self.backwards
            )

    def passed_since_ns(self, place: Place, offsets: Ints, *, as_committed: bool = False) -> Ints:
        """After what moment a reader passed each of these for sure; NONE where none is known to.

        Or a reader of committed records, of which nobody knows that it asks for others too.
        """
        passages = self.timely_as_committed if as_committed else self.timely
        return moments_of(passages.get(place, ()), offsets, lambda passage: passage.since_ns)

    def passed_until_ns(self, place: Place, offsets: Ints) -> Ints:
        """By what moment the last reader had passed each of these; NONE where none is known to."""
        passages = self.passages.get(place, ())
        return moments_of(passages, offsets, lambda passage: passage.until_ns)

    def may_have_failed(self, values: Ints) -> Bools:
        """Which of these values were those of a send that failed, when all is known."""
        return np.isin(values, self.failed[0]) if self.failed else np.zeros(len(values), bool)

    def leader(self, place: Place) -> ReplicaEnd | None:
        return leader_of(self.replicas.get(place, ()))

    def senders(self, place: Place) -> set[str]:
        """Whoever sent something to a partition."""
        senders = self.progress_by.keys() | self.unended
        return {client for where, client in senders if where == place}

    def log_start(self, log: Log) -> int | None:
        """The first offset that a replica's log has by what its broker says; None: not known."""
        ends = (end for end in self.replicas.get(log[0], ()) if end.broker == log[1])
        return next((end.log_start_offset for end in ends), None)

    def leader_log(self, place: Place) -> LogFacts:
        leader = self.leader(place)
        return LogFacts() if leader is None else self.logs.get((place, leader.broker), LogFacts())


def _merge(mine: dict[Any, Any], others: Mapping[Any, Any], better: Callable[..., Any]) -> None:
    for key, content in others.items():
        mine[key] = better(content, mine.get(key, content))


def spanned(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])


def replicas_of(rows: Iterable[Mapping[str, Any]]) -> dict[Place, list[ReplicaEnd]]:
    """From the rows of replica_ends."""
    found: dict[Place, list[ReplicaEnd]] = {}
    for row in rows:
        content = {name: row[name] for name in ReplicaEnd.__slots__}
        found.setdefault((row["topic"], row["partition"]), []).append(ReplicaEnd(**content))
    return found


def checkpoints_of(rows: Iterable[Mapping[str, Any]]) -> dict[Log, list[tuple[int, int]]]:
    """From the rows of epoch_checkpoints; at one offset the largest epoch is the last."""
    found: dict[Log, list[tuple[int, int]]] = {}
    for row in rows:
        log = (row["topic"], row["partition"]), row["broker"]
        found.setdefault(log, []).append((row["start_offset"], row["leader_epoch"]))
    return {log: sorted(entries) for log, entries in found.items()}


def _beyond(items: Iterable[tuple[Any, Any]], better: Any) -> Iterable[tuple[Any, Any]]:
    """For each of a group's items the best of those before it; none for the first."""
    group, best = None, None
    for key, content in items:
        if key[:2] != group:
            group, best = key[:2], None
        if best is not None:
            yield key, best
        best = content if best is None else better(best, content)
