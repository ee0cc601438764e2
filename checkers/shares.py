"""What members of share groups (KIP-932) were handed and accepted, in spans of offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.groups import Place, by_group
from highwater.checkers.rows import NONE, Bools, Ints, Rows, Words, constant, in_order


@dataclass(frozen=True, slots=True)
class Spans:
    """Rows of one kind, by their first offsets, and where one overlaps with one before it.

    `other` is the row before that reaches furthest.
    """

    rows: Rows
    again: Bools
    other: Ints


@dataclass(frozen=True, slots=True)
class Shares:
    """All that is told of one share group in one partition."""

    place: Place
    group: str
    handed: Spans
    accepted: Spans  # of which members were told so

    @property
    def shown(self) -> Shown:
        """Of what was accepted."""
        rows, names = self.accepted.rows, self.accepted.rows.words["client"]

        def same(word: str) -> tuple[Ints, Words]:
            return constant(0, len(rows)), np.array([word], object)

        others = rows["client"][self.accepted.other] if len(rows) else rows["client"]
        return {
            "topic": same(self.place[0]),
            "partition": (constant(self.place[1], len(rows)), None),
            "first_offset": (rows["first_offset"], None),
            "end_offset": (rows["end_offset"], None),
            "group": same(self.group),
            "client": (rows["client"], names),
            "other": (others, names),
            "completed_ns": (rows["completed_ns"], None),
        }


def shares_of(told: Rows | None) -> Sequence[Shares]:
    """By partition and group."""
    return () if told is None else tuple(_shares(told))


def _shares(told: Rows) -> Iterator[Shares]:
    first, end = told["first_offset"], told["end_offset"]
    sound = told.take((first >= 0) & (first < end) & told.is_word("outcome", "ok"))
    if not len(sound):
        return
    for (place, group), rows in sorted(by_group(sound).items(), key=lambda one: one[0]):
        handed, accepted = (
            _spans(rows.take(rows.is_word("step", step))) for step in ("handed", "accepted")
        )
        yield Shares(place, group, handed, accepted)


def _spans(rows: Rows) -> Spans:
    keys = [rows[name] for name in ("first_offset", "end_offset", "completed_ns", "client")]
    rows = rows.take(in_order(*keys))
    if not len(rows):
        return Spans(rows, np.zeros(0, bool), np.empty(0, np.int64))
    ends = rows["end_offset"]
    reach = np.append(NONE, np.maximum.accumulate(ends)[:-1])
    furthest = np.maximum.accumulate(np.where(ends > reach, np.arange(len(rows)), 0))
    return Spans(rows, reach > rows["first_offset"], np.append(0, furthest[:-1]))
