"""What claims about readers share: parts note something of a reading, and that is put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from highwater.checkers.facts import Facts, Place, Reading
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import POLL, SEND, Values
from highwater.checkers.rows import LAST, NONE, Bools, Ints

BACKWARDS = "a clock ran backwards"

Decided = Witness | str | None  # what is wrong, why nobody can tell, or that all is well
First = tuple[int, int]  # an offset, and the value there


def decided(
    found: Findings, facts: Facts, decide: Callable[[Reading, list[Any]], Decided], *actions: str
) -> Findings:
    """Asks of each reading with one of these actions what all parts have noted of it."""
    for at, reading in enumerate(facts.readings):
        if reading.action not in actions:
            continue
        said = decide(reading, found.notes.get(at, []))
        found.considered += 1
        if isinstance(said, str):
            found.doubt(said, 1)
        elif said is not None:
            found.one_anomaly({**reading.told, **said})
    return found


def passed_over(part: Values, readings: list[Reading]) -> dict[Place, Ints]:
    """For each partition the rows that one of these readings may have missed, by their offsets."""
    lowest: dict[Place, int] = {}
    for one in readings:
        if one.offset is not None:
            lowest[one.place] = min(one.offset, lowest.get(one.place, one.offset))
    from_here = part.of_place(lambda place: lowest.get(place, LAST))
    rows = np.flatnonzero((part["offset"] >= from_here) & part.acknowledged & part.known("value"))
    rows = rows[part["completed_ns"][rows] >= part["invoked_ns"][rows]]
    return {place: rows[part["place"][rows] == at] for at, place in enumerate(part.places)}


def hidden_from(part: Values, rows: Ints, reading: Reading) -> tuple[int, First] | None:
    """How many of these a reading was not shown that a later one was, and the first of them."""
    if reading.offset is None or reading.completed_ns is None or not len(rows):
        return None
    polled = part.by_value_here.largest(part["invoked_ns"], part.is_kind(POLL))
    offset = part["offset"][rows]
    hidden = (offset >= reading.offset) & (part["completed_ns"][rows] <= reading.invoked_ns)
    hidden &= part.by_value_here.spread(polled)[rows] > reading.completed_ns
    if not hidden.any():
        return None
    first = int(offset[hidden].min())
    return int(hidden.sum()), (first, int(part["value"][rows][hidden & (offset == first)].min()))


class Sent:
    """What a reading may have waited for: by value, when it was sent, and what became of it."""

    def __init__(self, part: Values) -> None:
        sends, groups = part.is_kind(SEND), part.by_value_here
        ended, ok = part.is_word("outcome", "ok", "failed"), part.is_word("outcome", "ok")
        self._sent = groups.least(part["invoked_ns"], sends)
        self._known = groups.largest(part["completed_ns"], sends & ended)
        self._stands = groups.largest(part["offset"], sends & ok)
        self._value, self._place = part["value"][groups.starts], part["place"][groups.starts]
        self._places = part.places

    def may_be_open(self, reading: Reading) -> bool:
        """Whether a send had begun before it ended whose end nobody knew when it began."""
        if reading.completed_ns is None:
            return False
        begun = self._of(reading) & (self._sent <= reading.completed_ns)
        return bool((begun & ((self._known == NONE) | (self._known > reading.invoked_ns))).any())

    def beyond(self, reading: Reading) -> First | None:
        """The first record that stood at or above its offset when it began."""
        known = self._of(reading) & (self._known != NONE) & (self._known <= reading.invoked_ns)
        there = known & (self._stands != NONE)
        there &= self._stands >= (NONE if reading.offset is None else reading.offset)
        if not there.any():
            return None
        first = int(self._stands[there].min())
        return first, int(self._value[there & (self._stands == first)].min())

    def _of(self, reading: Reading) -> Bools:
        is_place = np.array([place == reading.place for place in self._places])
        here: Bools = (self._sent != NONE) & is_place[self._place]
        return here
