"""How far consumer groups got: what they committed, and what their members had processed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from highwater.checkers.findings import Shown
from highwater.checkers.rows import LAST, Bools, Ints, constant
from highwater.checkers.spans import Range, merged

Place = tuple[str, int]  # topic and partition
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Commit:
    """A position that was confirmed; of an unknown moment it is LAST."""

    completed_ns: int
    offset: int
    client: str


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """Of one group in one partition: what its members had processed, and the commits in order."""

    group: str
    processed: list[Range]
    commits: list[Commit]

    @property
    def begin(self) -> int:
        """The first record that a member is known to have processed."""
        return self.processed[0][0]

    @property
    def committed(self) -> int:
        """The highest position of all."""
        return max(one.offset for one in self.commits)

    def shown(self, offset: Ints, undone: Bools) -> Shown:
        """For each row, of which some are undone, the group and the first commit beyond its offset.

        The undone ones lie below `committed`.
        """
        highest = np.maximum.accumulate([one.offset for one in self.commits])
        first = np.where(undone, np.searchsorted(highest, offset, "right"), 0)
        clients = sorted({one.client for one in self.commits})
        members = np.array([clients.index(one.client) for one in self.commits])[first]
        positions = np.array([one.offset for one in self.commits])[first]
        return {
            "group": (constant(0, len(offset)), np.array([self.group], object)),
            "client": (members, np.array(clients, object)),
            "committed": (positions, None),
        }


def groups_of(commits: Iterable[Row], processed: Iterable[Row]) -> dict[Place, list[GroupProgress]]:
    """By partition, of groups that committed there and are known to have processed something."""
    spans: dict[tuple[Place, str], list[Range]] = defaultdict(list)
    for row in processed:
        if 0 <= row["first_offset"] < row["end_offset"]:
            span = row["first_offset"], row["end_offset"] - 1
            spans[_place(row), row["group"]].append(span)
    told: dict[tuple[Place, str], list[Commit]] = defaultdict(list)
    for row in commits:
        if row["outcome"] == "ok" and row["offset"] >= 0:
            ended_ns = LAST if row["completed_ns"] is None else row["completed_ns"]
            told[_place(row), row["group"]].append(Commit(ended_ns, row["offset"], row["client"]))
    found: dict[Place, list[GroupProgress]] = defaultdict(list)
    for place, group in sorted(spans.keys() & told.keys()):
        ordered = sorted(
            told[place, group], key=lambda one: (one.completed_ns, one.offset, one.client)
        )
        found[place].append(GroupProgress(group, merged(spans[place, group]), ordered))
    return found


def _place(row: Row) -> Place:
    return row["topic"], row["partition"]
