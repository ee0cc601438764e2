"""How far consumer groups got: what they committed, and what their members had processed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.rows import (
    LAST,
    NONE,
    Bools,
    Ints,
    Rows,
    Words,
    alike,
    constant,
    groups,
    in_order,
    places,
)

Place = tuple[str, int]  # topic and partition


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """Of one group in one partition.

    `first` and `last` are the spans of offsets that its members had processed, in their order.
    `positions` are what was confirmed, in the order of its time, to `clients`, whose `names` are
    these.
    """

    group: str
    first: Ints
    last: Ints
    positions: Ints
    clients: Ints
    names: Words

    @property
    def begin(self) -> int:
        """The first record that a member is known to have processed."""
        return int(self.first[0])

    @property
    def committed(self) -> int:
        """The highest position of all."""
        return int(self.positions.max())

    def has_processed(self, offset: Ints) -> Bools:
        at = np.searchsorted(self.first, offset, "right") - 1
        found: Bools = (at >= 0) & (offset <= self.last[at])
        return found

    def shown(self, offset: Ints, undone: Bools) -> Shown:
        """For each row, of which some are undone, the group and the first commit beyond its offset.

        The undone ones lie below `committed`.
        """
        highest = np.maximum.accumulate(self.positions)
        first = np.where(undone, np.searchsorted(highest, offset, "right"), 0)
        return {
            "group": (constant(0, len(offset)), np.array([self.group], object)),
            "client": (self.clients[first], self.names),
            "committed": (self.positions[first], None),
        }


def groups_of(commits: Rows | None, processed: Rows | None) -> dict[Place, list[GroupProgress]]:
    """By partition, of groups that committed there and are known to have processed something."""
    found: dict[Place, list[GroupProgress]] = defaultdict(list)
    if commits is None or processed is None:
        return found
    is_told = commits.is_word("outcome", "ok") & (commits["offset"] >= 0)
    is_span = (processed["first_offset"] >= 0) & (
        processed["first_offset"] < processed["end_offset"]
    )
    told, spans = _by_group(commits.take(is_told)), _by_group(processed.take(is_span))
    for place, group in sorted(told.keys() & spans.keys()):
        own = told[place, group]
        ended = np.where(own["completed_ns"] == NONE, LAST, own["completed_ns"])
        own = own.take(in_order(ended, own["offset"]))
        merged = _merged(spans[place, group])
        names = own.words["client"]
        found[place].append(GroupProgress(group, *merged, own["offset"], own["client"], names))
    return found


def _by_group(rows: Rows) -> dict[tuple[Place, str], Rows]:
    where, names = places(rows)
    return {
        (names[int(where[at[0]])], str(rows.text("group", int(rows["group"][at[0]])))): rows.take(
            at
        )
        for at in groups(alike(where, rows["group"]))
    }


def _merged(spans: Rows) -> tuple[Ints, Ints]:
    """The same offsets in as few spans as possible, in their order."""
    order = in_order(spans["first_offset"])
    first = spans["first_offset"][order]
    last = np.maximum.accumulate(spans["end_offset"][order]) - 1
    begins = np.append(True, first[1:] > last[:-1] + 1)
    return first[begins], last[np.append(begins[1:], True)]
