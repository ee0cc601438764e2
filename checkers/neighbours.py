"""Neighbouring rows that belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from highwater.checkers.rows import LAST, NONE, Bools, Ints, changes


class Groups:
    """Neighbouring rows that belong together; `begins` is where another group does.

    There is one row at least.
    """

    def __init__(self, begins: Bools) -> None:
        self.starts = np.flatnonzero(begins)
        self._number = np.cumsum(begins) - 1

    def spread(self, content: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Of each group to each of its rows."""
        spread: npt.NDArray[Any] = content[self._number]
        return spread

    def begin(self, rows: Ints) -> Bools:
        """Which of some rows are in another group than the one before them."""
        return changes(self._number[rows])

    def have(self, mask: Bools) -> Bools:
        """For each group, whether one of its rows is among those of a mask."""
        found = np.zeros(len(self.starts), bool)
        found[self._number[mask]] = True
        return found

    def count(self, mask: Bools) -> Ints:
        """For each group, how many of its rows are among those of a mask."""
        return np.bincount(self._number[mask], minlength=len(self.starts))

    def anywhere(self, mask: Bools) -> Bools:
        """The same for each row of the groups."""
        return self.spread(self.have(mask))

    def least(self, column: Ints, mask: Bools) -> Ints:
        """For each group, the smallest number in the rows of a mask; NONE where there is none."""
        known = mask & (column != NONE)
        found: Ints = np.minimum.reduceat(np.where(known, column, LAST), self.starts)
        found[~self.have(known)] = NONE
        return found

    def largest(self, column: Ints, mask: Bools) -> Ints:
        found: Ints = np.maximum.reduceat(np.where(mask, column, NONE), self.starts)
        return found
