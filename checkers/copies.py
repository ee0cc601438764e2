"""What in-sync replicas hold at each offset that they call committed."""

from __future__ import annotations

import numpy as np

from highwater.checkers.facts import LogFacts, Place
from highwater.checkers.parts import LOG, Offsets, Starts
from highwater.checkers.rows import LAST, NONE, Bools, Ints, as_recorded, changes
from highwater.harness.record.ends import ReplicaEnd

# What stands in place of a value where there is none.
OTHERWISE = {NONE + 1: "damaged", NONE + 2: "control record", NONE + 3: "foreign record"}


class Copies:
    """The records of the replicas that are asked, offset by offset.

    A replica in the ISR is asked from its log start to its own high watermark. `first_rows` is a
    row of the part for each offset that any of them holds; `distinct` says how many copies it has,
    and `absent` how many replicas with whole logs lack it.
    """

    def __init__(self, part: Offsets) -> None:
        self._part = part
        rows = np.flatnonzero(part.is_kind(LOG))
        rows = rows[self._asked(rows)]
        self._rows = rows[np.lexsort((part["broker"][rows], part["offset"][rows],
                                      part["place"][rows]))]  # fmt: skip
        self._content = self._contents()
        self._starts: Starts = np.flatnonzero(self._changes("place", "offset"))
        self.first_rows = self._rows[self._starts]
        brokers = self._changes("place", "offset", "broker")
        self.distinct = self._counted(brokers if brokers.all() else self._different())
        whole = np.zeros(len(self._rows), bool)
        expected = np.zeros(len(self._starts), np.int64)
        offsets = part["offset"][self.first_rows]
        for place, replica, here in self._replicas(self._rows):
            whole |= here & self._is_whole(place, replica)
            at = part["place"][self.first_rows] == part.places.index(place)
            at &= self._within(place, replica, offsets)
            expected += at & self._is_whole(place, replica)
        self.absent = expected - self._counted(brokers & whole)

    def differ(self, name: str, nothing: int = NONE) -> Bools:
        """At which offsets sound copies that have more than `nothing` here do not have the same."""
        if not len(self._rows):
            return np.empty(0, bool)
        column, known = self._known(name, nothing)
        least = np.minimum.reduceat(np.where(known, column, LAST), self._starts)
        largest = np.maximum.reduceat(np.where(known, column, NONE), self._starts)
        found: Bools = least < largest
        return found

    @property
    def comparable(self) -> Bools:
        """At which offsets two sound copies can be compared; control records have no content."""
        control = (self._part["is_control"][self._rows] == 1) & self._known("is_control")[1]
        known = [self._known(name)[1] for name in ("digest", "value", "checksum")]
        twice = [self._counted(one) > 1 for one in (control, *known)]
        found: Bools = np.logical_or.reduce(twice)
        return found

    def _known(self, name: str, nothing: int = NONE) -> tuple[Ints, Bools]:
        """What the copies have in a column, and which of them are sound and have anything."""
        column, sound = self._part[name][self._rows], self._part["problem"][self._rows] == NONE
        return column, sound & (column > nothing)

    def described(self, row: int) -> str:
        """The copies at the offset of one of `first_rows`, and whose is missing."""
        part, place, offset = self._part, self._part.place(row), int(self._part["offset"][row])
        at = int(np.flatnonzero(self.first_rows == row)[0])
        last = int(np.append(self._starts, len(self._rows))[at + 1])
        copies = {self._copy(each) for each in range(self._starts[at], last)}
        present = {broker for broker, _ in copies}
        for replica in part.facts.replicas[place]:
            is_asked = replica.in_isr and self._within(place, replica, np.array([offset]))[0]
            if replica.broker not in present and is_asked and self._is_whole(place, replica):
                copies.add((replica.broker, f"{replica.broker}: nothing"))
        return "; ".join(text for _, text in sorted(copies))

    def _asked(self, rows: Ints) -> Bools:
        asked = np.zeros(len(rows), bool)
        for place, replica, here in self._replicas(rows):
            asked |= here & self._within(place, replica, self._part["offset"][rows])
        return asked

    def _within(self, place: Place, replica: ReplicaEnd, offsets: Ints) -> Bools:
        """What a replica calls committed, from where its log is known to have begun.

        Of a tiered topic each replica deletes by itself what is in remote storage too (KIP-405).
        """
        facts, start = self._part.facts, replica.log_start_offset
        high = NONE if replica.high_watermark is None else replica.high_watermark
        log = facts.logs.get((place, replica.broker), LogFacts())
        if start is None or facts.promises.topic(place[0]).tiered:
            start = log.first if start is None else max(start, log.first)
        return (offsets >= start) & (offsets < high)

    def _replicas(self, rows: Ints) -> list[tuple[Place, ReplicaEnd, Bools]]:
        """Who is in sync, and which rows are of its log."""
        part = self._part
        return [
            (place, each, (part["place"][rows] == at) & (part["broker"][rows] == each.broker))
            for at, place in enumerate(part.places)
            for each in part.facts.replicas.get(place, ())
            if each.in_isr
        ]

    def _is_whole(self, place: Place, replica: ReplicaEnd) -> bool:
        log = self._part.facts.logs.get((place, replica.broker))
        return log is not None and not log.problems

    def _contents(self) -> Ints:
        damaged, control, foreign = OTHERWISE
        value = self._part["value"][self._rows]
        value = np.where(value == NONE, foreign, value)
        value = np.where(self._part["is_control"][self._rows] == 1, control, value)
        return np.where(self._part["problem"][self._rows] != NONE, damaged, value)

    def _changes(self, *names: str) -> Bools:
        return changes(*(self._part[name][self._rows] for name in names))

    def _different(self) -> Bools:
        """Rows that are no repetition of another copy in the same log."""
        part, rows = self._part, self._rows
        keys = [part[name][rows] for name in ("place", "offset", "broker", "leader_epoch")]
        order = np.lexsort([self._content, *reversed(keys)])
        different = np.empty(len(rows), bool)
        different[order] = changes(*(key[order] for key in keys), self._content[order])
        return different

    def _counted(self, mask: Bools) -> Ints:
        """Per offset, how many rows of a mask."""
        if not len(mask):
            return np.empty(0, np.int64)
        return np.add.reduceat(mask.astype(np.int64), self._starts)

    def _copy(self, at: int) -> tuple[int, str]:
        row, content = int(self._rows[at]), int(self._content[at])
        broker, epoch = int(self._part["broker"][row]), self._part.number("leader_epoch", row)
        text = OTHERWISE.get(content, f"value {as_recorded(content)}")
        return broker, f"{broker}: {text}" + ("" if epoch is None else f" (epoch {epoch})")
