"""What the world knows of itself, looked up by value, offset and reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tests.model.clients import FAILED, Handing, Reader, Send, Stop
from tests.model.disks import Disk
from tests.model.evidence import Case
from tests.model.logs import Partition

from highwater.harness.model import Answer

HELD, VIOLATED, UNKNOWN = Answer.HELD, Answer.VIOLATED, Answer.UNKNOWN
Answers = frozenset[Answer | None]  # None: nothing to consider here

YES: Answers = frozenset({VIOLATED})
NO: Answers = frozenset({HELD})
OPEN: Answers = frozenset({UNKNOWN})
NOT_YES: Answers = frozenset({HELD, UNKNOWN})
NOT_NO: Answers = frozenset({VIOLATED, UNKNOWN})
ANY: Answers = frozenset({HELD, VIOLATED, UNKNOWN})
NOTHING: Answers = frozenset({None})


def together(several: Iterable[Answers]) -> frozenset[Answer]:
    """What may be said of all of these: a violation outranks doubts, and doubts outrank silence."""
    found: set[Answer | None] = {None}
    for some in several:
        found = {_worse(one, other) for one in found for other in some}
        if found == {VIOLATED}:
            break
    return frozenset(UNKNOWN if one is None else one for one in found)


def _worse(one: Answer | None, other: Answer | None) -> Answer | None:
    return next((worst for worst in (VIOLATED, UNKNOWN, HELD) if worst in {one, other}), None)


@dataclass(frozen=True)
class Passage:
    """A reader that was handed something from below an offset, and then got beyond it."""

    reader: Reader
    low: int
    high: int
    at_ns: int  # when it asked for what lies beyond
    until_ns: int  # when it was handed that


@dataclass
class Facts:
    case: Case

    @property
    def tells_starts(self) -> bool:
        """Whether the record says below which offset nothing is left."""
        return self.case.evidence.has_ends and self.case.evidence.has_starts

    @cached_property
    def sends_of(self) -> dict[int, list[Send]]:
        found: dict[int, list[Send]] = defaultdict(list)
        for one in self.case.world.sends:
            found[one.value].append(one)
        return found

    @cached_property
    def handed_of(self) -> dict[tuple[Partition, int], list[Handing]]:
        found: dict[tuple[Partition, int], list[Handing]] = defaultdict(list)
        for one in self.case.world.handings:
            if one.value is not None:
                found[one.partition, one.value].append(one)
        return found

    @cached_property
    def logged(self) -> dict[tuple[Partition, int], int]:
        """What the final leaders' logs hold, as far as they are in the record."""
        evidence = self.case.evidence
        if not (evidence.has_ends and evidence.has_logs):
            return {}
        return {
            (disk.partition, one.offset): one.value
            for disk in self.case.disks
            if disk.is_leader and (disk.partition.name, disk.broker) not in evidence.without_log
            for one in disk.records
            if one.value is not None
        }

    @cached_property
    def handed_at(self) -> dict[Partition, list[Handing]]:
        found: dict[Partition, list[Handing]] = defaultdict(list)
        for one in self.case.world.handings:
            found[one.partition].append(one)
        return found

    @cached_property
    def by_reader(self) -> dict[str, list[Handing]]:
        found: dict[str, list[Handing]] = defaultdict(list)
        for one in self.case.world.handings:
            found[one.reader.name].append(one)
        return found

    def was_handed(self, send: Send) -> bool:
        return (send.partition, send.value) in self.handed_of

    def shown(self, send: Send) -> list[Handing]:
        """To readers of committed records."""
        handed = self.handed_of.get((send.partition, send.value), [])
        return [one for one in handed if not one.reader.takes_uncommitted]

    def is_surely_committed(self, handing: Handing) -> bool:
        """By its reader, or as it had been acknowledged at that very offset."""
        return not handing.reader.takes_uncommitted or any(
            one.is_promised and one.offset == handing.offset
            for one in self.attempts(handing.value, handing.partition)
        )

    def attempts(self, value: int | None, partition: Partition) -> list[Send]:
        mine = [] if value is None else self.sends_of.get(value, [])
        return [one for one in mine if one.partition is partition]

    def failed(self, value: int | None) -> bool:
        """All that was tried with it is known to have failed."""
        mine = [] if value is None else self.sends_of.get(value, [])
        return bool(mine) and all(one.outcome == FAILED for one in mine)

    def failed_once(self, value: int | None) -> bool:
        mine = [] if value is None else self.sends_of.get(value, [])
        return any(one.outcome == FAILED for one in mine)

    @cached_property
    def promised(self) -> dict[Partition, list[Send]]:
        found: dict[Partition, list[Send]] = defaultdict(list)
        for one in self.case.world.sends:
            if one.is_promised:
                found[one.partition].append(one)
        return found

    def leader_disk(self, partition: Partition) -> Disk | None:
        return next(
            (one for one in self.case.disks if one.is_leader and one.partition is partition), None
        )

    @cached_property
    def passages(self) -> dict[Partition, list[Passage]]:
        found: dict[Partition, list[Passage]] = defaultdict(list)
        world = self.case.world
        ends = [one for one in world.stops if one.action == "end"]  # who stalls found none
        events: list[Handing | Stop] = sorted([*world.handings, *ends], key=lambda one: one.op)
        low: dict[str, int] = {}
        high: dict[str, int] = {}
        for one in events:
            name, partition = one.reader.name, one.reader.partition
            if self.case.began_at_0(one.reader):
                low.setdefault(name, -1)
            if isinstance(one, Handing):
                low[name] = min(one.offset, low.get(name, one.offset))
            if name in low and one.offset > high.get(name, -1):
                moments = one.invoked_ns, one.completed_ns
                found[partition].append(Passage(one.reader, low[name], one.offset, *moments))
                high[name] = one.offset
        return found

    def passes(
        self, partition: Partition, offset: int, *, of_committed: bool = False
    ) -> list[Passage]:
        """The first step of each reader beyond this offset, of those who came from below.

        `of_committed`: without those who are handed what is not, too.
        """
        first: dict[str, Passage] = {}
        for one in self.passages[partition]:
            is_asked = not (of_committed and one.reader.takes_uncommitted)
            if is_asked and one.low < offset < one.high:
                first.setdefault(one.reader.name, one)
        return list(first.values())
