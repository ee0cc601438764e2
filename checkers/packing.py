"""Rows in as few bytes as their numbers need: what travels in Spark.

A column is packed once for all parts that its rows go to, and unpacked right into the column of the
part that they come to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from highwater.checkers.rows import (
    NONE,
    Ints,
    Rows,
    Words,
    all_words,
    changes,
    concatenated,
    constant,
    is_constant,
    order_of,
    reworded,
)

KINDS = (np.uint8, np.uint16, np.uint32)


class Column(NamedTuple):
    """Numbers with what is to be added to each; none where all of them are `least`.

    With `gaps` the largest number of their kind stands for NONE.
    """

    least: int
    numbers: npt.NDArray[Any] | None = None
    gaps: bool = False

    def within(self, some: slice) -> Column:
        return self if self.numbers is None else Column(self.least, self.numbers[some], self.gaps)

    def unpack_into(self, column: Ints) -> None:
        if self.numbers is None:
            column[:] = self.least
            return
        np.add(self.numbers, np.int64(self.least), out=column)
        if self.gaps:
            column[self.numbers == np.iinfo(self.numbers.dtype).max] = NONE


class Packed(NamedTuple):
    """Rows, so many, on their way."""

    length: int
    columns: Mapping[str, Column]
    words: Mapping[str, Words]


def apart(rows: Rows, numbers: Ints) -> Iterator[tuple[int, Packed]]:
    """The rows of each of these numbers, in their order; of no rows there are none."""
    if not len(rows):
        return
    order = order_of(numbers)
    columns = {name: _packed(column, order) for name, column in rows.columns.items()}
    starts = np.flatnonzero(changes(numbers[order])).tolist()
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        within = {name: column.within(slice(start, end)) for name, column in columns.items()}
        yield int(numbers[order[start]]), Packed(end - start, within, rows.words)


def unpacked(parts: Sequence[Packed]) -> Rows:
    """All rows of parts that have the same columns."""
    words = all_words([part.words for part in parts])
    columns = {}
    for name in parts[0].columns:
        if name in words:
            own = [Rows({name: _whole([part], name)}, part.words) for part in parts]
            columns[name] = concatenated([reworded(part, name, words[name]) for part in own])
        else:
            columns[name] = _whole(parts, name)
    return Rows(columns, words)


def _whole(parts: Sequence[Packed], name: str) -> Ints:
    columns, length = [part.columns[name] for part in parts], sum(part.length for part in parts)
    least = columns[0].least
    if all(column.numbers is None and column.least == least for column in columns):
        return constant(least, length)
    whole, end = np.empty(length, np.int64), 0
    for part, column in zip(parts, columns, strict=True):
        start, end = end, end + part.length
        column.unpack_into(whole[start:end])
    return whole


def _packed(column: Ints, order: npt.NDArray[np.intp]) -> Column:
    if is_constant(column):
        return Column(int(column[0]))
    known = column != NONE
    gaps = not known.all()
    if gaps and not known.any():
        return Column(NONE)
    least, most = (int(end) for end in ((column[known] if gaps else column).min(), column.max()))
    for kind in KINDS:
        if most - least < np.iinfo(kind).max:
            small = (column - least).astype(kind)
            if gaps:
                small[~known] = np.iinfo(kind).max
            return Column(least, small[order], gaps)
    return Column(0, column[order])
