"""Of what stands above a record in a partition, what its client heard of first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from highwater.checkers.facts import BLOCK_BITS, Facts, Firsts, Standing
from highwater.checkers.parts import POLL, Offsets
from highwater.checkers.rows import LAST, Bools, Ints, alike, changes, groups


@dataclass(frozen=True, slots=True)
class Order:
    """What is compared with what: records, when each began and ended, and those next to it.

    One that began after another had `ended` must stand above it; where two are never to stand at
    one offset, not beside it either. An end that is LAST is not known.
    """

    asked: Bools
    began: Ints
    ended: Ints
    elsewhere: Callable[[Facts], Firsts]
    beside: Literal["left", "right"] = "right"  # "left" where not beside it either


def sent(part: Offsets) -> Order:
    """Sends that were acknowledged, by the clock."""
    done = part["completed_ns"]
    known = np.where(done >= part["invoked_ns"], done, LAST)
    return Order(part.acknowledged, part["invoked_ns"], known, lambda facts: facts.acknowledged)


def given(part: Offsets) -> Order:
    """Sends that were acknowledged, by the numbers of these operations."""
    op = part["op"]
    return Order(part.acknowledged, op, op, lambda facts: facts.given)


def handed(part: Offsets) -> Order:
    """Records that readers were handed, by the numbers of these operations."""
    asked = part.is_kind(POLL) & (part["offset"] >= 0)
    op = part["op"]
    return Order(asked, op, op, lambda facts: facts.handed, "left")


class Standings:
    """Records compared with all that stand above them in their partition, of the same client.

    Within a block of offsets that is one pass from the end; for the blocks above there is what was
    surveyed of them.
    """

    def __init__(self, part: Offsets, order: Order) -> None:
        self._part, self._order = part, order
        self._rows = np.flatnonzero(order.asked)
        blocks = part["offset"][self._rows] >> BLOCK_BITS
        self._block = alike(part["place"][self._rows], part["client"][self._rows], blocks)
        self.first = np.full(len(order.asked), LAST)  # the least end of all that stand above
        for chosen in groups(self._block):
            rows = self._rows[chosen]
            self.first[rows] = self._heard_first(rows)
        self.too_low = order.asked & (self.first < order.began)

    def above(self, row: int) -> Standing:
        """For one that stands too low, what it should have come after."""
        at = int(np.searchsorted(self._rows, row))
        rows, offset = self._rows[self._block == self._block[at]], self._part["offset"]
        higher = offset[rows] > offset[row]
        if self._order.beside == "left":
            higher |= offset[rows] == offset[row]
        rows = rows[higher]
        columns = (self._order.ended[rows], offset[rows], self._part["value"][rows])
        beyond = self._beyond(row)
        own = min(zip(*(column.tolist() for column in columns), strict=True), default=None)
        return min(([Standing(*own)] if own else []) + ([beyond] if beyond else []))

    def _heard_first(self, rows: Ints) -> Ints:
        """When its client heard of the first record above each of these rows of one block."""
        offset, beyond = self._part["offset"][rows], self._beyond(int(rows[0]))
        carried = LAST if beyond is None else beyond.ended
        earliest = np.minimum.accumulate(self._order.ended[rows][::-1])[::-1]
        behind = np.append(earliest, LAST)
        others = np.append(np.flatnonzero(changes(offset)), len(offset))
        if len(others) > len(offset):  # each offset is there once
            above = behind[:-1] if self._order.beside == "left" else behind[1:]
        else:
            edges = others[:-1] if self._order.beside == "left" else others[1:]
            above = np.repeat(behind[edges], np.diff(others))
        first: Ints = np.minimum(above, carried)
        return first

    def _beyond(self, row: int) -> Standing | None:
        part, client = self._part, str(self._part.text("client", row))
        block = int(part["offset"][row]) >> BLOCK_BITS
        return self._order.elsewhere(part.facts).get((part.place(row), client, block))
