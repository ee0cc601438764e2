"""How high the log of a partition was known to stand, for readers: below which offset everything
was known to be committed.

Known is what was acknowledged to sends with acks=all, with the time of the acknowledgement, and
what a look at any replica saw below its high watermark, with the time of the look. A log that was
known to stand somewhere never stands lower again: where one does, claims say so. Heights are kept
by slots of a hundredth of a second: what they are at the end of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from highwater.checkers.facts import Place
from highwater.checkers.parts import Values
from highwater.checkers.rows import NONE, Bools, Ints, first_rows, groups, numbered
from highwater.checkers.samples import PLACE
from highwater.checkers.tallies import SLOT_NS

if TYPE_CHECKING:
    import pandas as pd

HIGHEST = 1 << 52  # no log is: whatever is told beyond that counts as so much
NOTHING = np.empty((2, 0), np.int64)


@dataclass(slots=True)
class Heights:
    """Of a run, or of a part of it: by partition rows of slots, and rows of heights.

    `unsure` are partitions of topics that were created more than once: there it is not known whose
    height is whose.
    """

    of: dict[Place, list[Ints]] = field(default_factory=lambda: defaultdict(list))
    unsure: set[Place] = field(default_factory=set)

    def take_in(self, other: Heights) -> None:
        for place, heights in other.of.items():
            self.of[place] += heights
        self.unsure |= other.unsure

    def known(self, place: Place) -> Ints:
        """Slots and heights, both ascending; nothing where nobody knows."""
        if place in self.unsure or not self.of.get(place):
            return NOTHING
        slots, heights = np.concatenate(self.of[place], axis=1)
        order = np.lexsort((heights, slots))
        slots, heights = slots[order], np.maximum.accumulate(heights[order])
        last = np.append(slots[1:] != slots[:-1], True)
        return np.stack([slots[last], heights[last]])


def heights_of_sends(part: Values, followed: Collection[Place]) -> Heights:
    """Of these partitions, by what was acknowledged to sends with acks=all."""
    found = Heights()
    if not followed:
        return found
    is_followed = np.array([place in followed for place in part.places], bool)
    mask: Bools = part.acknowledged & is_followed[part["place"]] & (part["offset"] >= 0)
    rows = np.flatnonzero(mask & (part.ended_ns != NONE) & ~part.ran_backwards)
    if len(rows):
        place, slot = part["place"][rows], part.ended_ns[rows] // SLOT_NS
        number = numbered(place, slot)
        first = first_rows(number)
        height = np.zeros(len(first), np.int64)
        np.maximum.at(height, number, np.minimum(part["offset"][rows], HIGHEST - 1) + 1)
        for mine in groups(place[first]):
            where = part.places[int(place[first[mine[0]]])]
            found.of[where] = [np.stack([slot[first[mine]], height[mine]])]
    return found


def heights_of_looks(several: Iterable[pd.DataFrame], followed: Collection[Place]) -> Heights:
    """Of these partitions, by looks at replicas, apart for each time that a topic was created."""
    found = Heights()
    place: Any
    for looks in several if followed else ():
        for place, mine in looks[looks["high_watermark"].notna()].groupby(PLACE):
            where = str(place[0]), int(place[1])
            if where in followed:
                if where in found.of:
                    found.unsure.add(where)
                found.of[where] = [_seen(mine)]
    return found


def _seen(looks: pd.DataFrame) -> Ints:
    slots = looks["at_ns"].to_numpy(np.int64) // SLOT_NS
    heights = np.clip(looks["high_watermark"].to_numpy(np.int64), 0, HIGHEST)
    order = np.lexsort((heights, slots))
    slots, heights = slots[order], np.maximum.accumulate(heights[order])
    told = np.append(True, heights[1:] != heights[:-1])
    told[-1] = True  # until the last look it stood so
    return np.stack([slots[told], heights[told]])
