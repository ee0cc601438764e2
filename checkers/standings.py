"""Of what stands above a send in a partition, the record that its client heard of first."""

from __future__ import annotations

import numpy as np

from highwater.checkers.facts import BLOCK_BITS, Standing
from highwater.checkers.parts import Offsets
from highwater.checkers.rows import LAST, Bools, Ints, groups, numbered


class Standings:
    """Sends compared with all that stands above them in their partition, of the same client.

    Within a block of offsets that is one pass from the end; for the blocks above there is what was
    surveyed of them.
    """

    def __init__(self, part: Offsets, asked: Bools) -> None:
        self._part = part
        self._rows = np.flatnonzero(asked)
        blocks = part["offset"][self._rows] >> BLOCK_BITS
        self._block = numbered(part["place"][self._rows], part["client"][self._rows], blocks)
        self.too_low = np.zeros(len(asked), bool)
        for chosen in groups(self._block):
            rows = self._rows[chosen]
            self.too_low[rows] = self._heard_first(rows) <= part["invoked_ns"][rows]

    def above(self, row: int) -> Standing:
        """For a send that stands too low, what it should have come after."""
        at = int(np.searchsorted(self._rows, row))
        rows = self._rows[self._block == self._block[at]]
        rows = rows[self._part["offset"][rows] > self._part["offset"][row]]
        columns = (self._ended(rows), self._part["offset"][rows], self._part["value"][rows])
        beyond = self._beyond(row)
        own = min(zip(*(column.tolist() for column in columns), strict=True), default=None)
        return min(([Standing(*own)] if own else []) + ([beyond] if beyond else []))

    def _heard_first(self, rows: Ints) -> Ints:
        """When its client heard of the first record above each of these rows of one block."""
        offset, beyond = self._part["offset"][rows], self._beyond(int(rows[0]))
        carried = LAST if beyond is None else beyond.completed_ns
        earliest = np.minimum.accumulate(self._ended(rows)[::-1])[::-1]
        above = np.searchsorted(offset, offset, "right")
        first: Ints = np.minimum(np.append(earliest, LAST)[above], carried)
        return first

    def _ended(self, rows: Ints) -> Ints:
        completed = self._part["completed_ns"][rows]
        return np.where(completed >= self._part["invoked_ns"][rows], completed, LAST)

    def _beyond(self, row: int) -> Standing | None:
        part, client = self._part, str(self._part.text("client", row))
        block = int(part["offset"][row]) >> BLOCK_BITS
        return part.facts.earliest.get((part.place(row), client, block))
