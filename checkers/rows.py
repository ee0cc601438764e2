"""Rows of a record as NumPy columns: what claims are computed on.

Every column is an array of integers. What is null in the record is NONE; a text is its place in
`words`, which are sorted, so that places compare as the texts do. An identity may be any number:
those at the very bottom stand some higher, in the same order, and leave NONE free (ADR 24).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from highwater.harness.tables import IDENTITIES, UNUSABLE

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.object_]

NONE = int(np.iinfo(np.int64).min)  # no time is so small, and such an offset is none
LAST = int(np.iinfo(np.int64).max)
FREE = len(UNUSABLE)  # NONE, and further numbers that mean nothing in a record
SORTED_FAST = int(np.iinfo(np.uint16).max)  # by their digits


@dataclass(frozen=True)
class Rows:
    """Columns of equal length, and the words of those that hold texts."""

    columns: Mapping[str, Ints]
    words: Mapping[str, Words]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> Ints:
        return self.columns[name]

    def take(self, chosen: npt.NDArray[Any]) -> Self:
        """The rows at these places, or where this mask says so."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        if len(places) == len(self) and chosen.dtype == bool:
            return self
        columns = {name: reordered(column, places) for name, column in self.columns.items()}
        return type(self)(columns, self.words)

    def with_columns(self, **columns: Ints) -> Self:
        return type(self)({**self.columns, **columns}, self.words)

    def only(self, *names: str) -> Self:
        words = {name: self.words[name] for name in names if name in self.words}
        return type(self)({name: self.columns[name] for name in names}, words)

    def is_word(self, name: str, *wanted: str) -> Bools:
        """Where a column of texts says one of these."""
        found = [place for place, word in enumerate(self.words[name]) if word in wanted]
        is_it = np.zeros(len(self), bool)
        for place in found:
            is_it |= self.columns[name] == place
        return is_it

    def known(self, name: str) -> Bools:
        """Where something stands."""
        known: Bools = self.columns[name] != NONE
        return known

    def text(self, name: str, place: int) -> str | None:
        """The word that a place stands for."""
        return None if place == NONE else str(self.words[name][place])


def from_arrow(table: pa.Table) -> Rows:
    """The rows of an Arrow table of integers, booleans and texts."""
    columns: dict[str, Ints] = {}
    words: dict[str, Words] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if (
            pa.types.is_dictionary(kind)
            or pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
        ):
            columns[name], words[name] = _worded(column)
        elif column.null_count == len(column):
            columns[name] = constant(NONE, len(column))
        else:
            columns[name] = _numbers(column, is_identity=name in IDENTITIES)
    return Rows(columns, words)


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows of parts that have the same columns."""
    if len(parts) == 1:
        return parts[0]
    words = all_words([part.words for part in parts])
    columns = {
        name: concatenated(
            [reworded(part, name, words[name]) if name in words else part[name] for part in parts]
        )
        for name in parts[0].columns
    }
    return Rows(columns, words)


def all_words(several: Sequence[Mapping[str, Words]]) -> dict[str, Words]:
    """Those that stand in any of these."""
    return {
        name: np.array(sorted({word for words in several for word in words[name]}), object)
        for name in several[0]
    }


def constant(number: int, length: int) -> Ints:
    """A column in which all rows say the same; it takes no memory, and is read-only."""
    return np.broadcast_to(np.int64(number), (length,))


def is_constant(column: Ints) -> bool:
    return len(column) > 0 and column.strides == (0,)


def reordered(column: Ints, places: npt.NDArray[Any]) -> Ints:
    return constant(column[0], len(places)) if is_constant(column) else column[places]


def concatenated(columns: Sequence[Ints]) -> Ints:
    columns = [column for column in columns if len(column)] or list(columns[:1])
    if all(is_constant(column) and column[0] == columns[0][0] for column in columns):
        return constant(columns[0][0], sum(map(len, columns)))
    return np.concatenate(columns)


def places(rows: Rows) -> tuple[Ints, list[tuple[str, int]]]:
    """For each row which partition it is about, and the (topic, partition) that there are."""
    where = numbered(rows["topic"], rows["partition"])
    first = first_rows(where)
    topics = rows.words["topic"][rows["topic"][first]]
    return where, list(zip(map(str, topics), rows["partition"][first].tolist(), strict=True))


def first_rows(numbers: Ints) -> npt.NDArray[np.intp]:
    """A row for each of the numbers from 0 on that `numbered` gives."""
    first = np.zeros(int(numbers.max(initial=-1)) + 1, np.intp)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return first


def order_of(numbers: Ints) -> npt.NDArray[np.intp]:
    """Rows sorted by their numbers, which begin at 0; few different ones are sorted fastest."""
    few = numbers.max(initial=0) <= SORTED_FAST
    return np.argsort(numbers.astype(np.uint16) if few else numbers, kind="stable")


def groups(numbers: Ints) -> list[npt.NDArray[np.intp]]:
    """The rows of each of these numbers, in their order."""
    order = order_of(numbers)
    starts = np.flatnonzero(changes(numbers[order]))
    return np.split(order, starts[1:]) if len(order) else []


def changes(*columns: Ints) -> Bools:
    """Where a row differs from the one before it; the first one does."""
    changed = np.zeros(len(columns[0]), bool)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def in_order(*columns: Ints) -> npt.NDArray[np.intp]:
    """The places of rows sorted by these columns; one key is sorted faster than several."""
    key = _key(*columns)
    return np.lexsort(columns[::-1]) if key is None else np.argsort(key, kind="stable")


def alike(*columns: Ints) -> Ints:
    """Equal numbers for rows that are equal in all of these, and small ones where possible."""
    key = _key(*columns)
    return numbered(*columns) if key is None or key.max(initial=0) > SORTED_FAST else key


def _key(*columns: Ints) -> Ints | None:
    """A number for each row, from 0 on, that compares as they do; None where it has no room."""
    key, several = np.zeros(len(columns[0]), np.int64), 1
    for column in columns if len(key) else ():
        low, high = int(column.min()), int(column.max())
        several *= high - low + 1
        if several > LAST:
            return None
        if not is_constant(column):
            key = key * (high - low + 1) + (column - low)
    return key


def numbered(*columns: Ints) -> Ints:
    """Equal numbers, from 0 on, for rows that are equal in all of these, in the columns' order."""
    numbers, several = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        if not is_constant(column):
            ranks, count = _ranks(column)
            numbers = ranks if several == 1 else numbers * count + ranks
            several *= count
            if several > len(numbers):
                numbers, several = _ranks(numbers)
    return numbers if several == 1 else _ranks(numbers)[0]


def _ranks(column: Ints) -> tuple[Ints, int]:
    """Each number's place among the different ones, and how many of these there are."""
    low, high = (int(end) for end in (column.min(initial=LAST), column.max(initial=NONE)))
    if high - low > 4 * len(column):
        several, inverse = np.unique(column, return_inverse=True)
        return inverse.astype(np.int64), len(several)
    from_low = column - low if low else column
    there = np.zeros(max(high - low + 1, 0), bool)
    there[from_low] = True
    if there.all():
        return from_low, len(there)
    ranks = np.cumsum(there) - 1
    return ranks[from_low], int(ranks[-1]) + 1


def runs(starts: npt.NDArray[np.intp], total: int) -> npt.NDArray[np.intp]:
    """How long each group is, of those that begin at `starts`."""
    return np.diff(starts, append=total)


def _worded(column: pa.ChunkedArray) -> tuple[Ints, Words]:
    whole = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = whole.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no chunk at all
        return np.empty(0, np.int64), np.array([], object)
    codes = whole.indices
    if codes.null_count == len(codes):
        return constant(NONE, len(codes)), np.array([], object)
    if len(whole.dictionary) == 1 and not codes.null_count:
        return constant(0, len(codes)), np.array(whole.dictionary.to_pylist(), object)
    words = np.array(whole.dictionary.to_pylist(), object)
    order = np.argsort(words)
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = NONE
    found = (
        np.where(_valid(codes), _buffer(codes), len(order)) if codes.null_count else _buffer(codes)
    )
    return rank[found], words[order]


def as_recorded(identity: int) -> int:
    """What stands in the record for an identity, or any other number, of a column."""
    return identity - FREE if NONE + FREE <= identity < UNUSABLE.stop else identity


def _numbers(column: pa.ChunkedArray, *, is_identity: bool) -> Ints:
    whole = column.cast(pa.int64()) if not pa.types.is_int64(column.type) else column
    whole = whole.combine_chunks()
    numbers = _buffer(whole)
    if is_identity and numbers.min() < UNUSABLE.start:
        numbers = np.where(numbers < UNUSABLE.start, numbers + FREE, numbers)
    return np.where(_valid(whole), numbers, NONE) if whole.null_count else numbers


def _valid(whole: pa.Array) -> Bools:
    """What is not null; Arrow's own ways to fill the rest load all of pandas."""
    bits = np.frombuffer(whole.buffers()[0], np.uint8)
    valid = np.unpackbits(bits, count=whole.offset + len(whole), bitorder="little")
    return valid[whole.offset :].astype(bool)


def _buffer(whole: pa.Array) -> npt.NDArray[Any]:
    """Whole numbers as they lie in memory; Arrow's own way to NumPy loads all of pandas."""
    if not len(whole):
        return np.empty(0, np.int64)
    numbers = np.frombuffer(whole.buffers()[1], whole.type.to_pandas_dtype())
    return numbers[whole.offset : whole.offset + len(whole)]


def reworded(part: Rows, name: str, words: Words) -> Ints:
    """A column of places in a part's own words as places in all words."""
    own = part.words[name]
    if len(own) == len(words):
        return part[name]
    rank = np.append(np.searchsorted(words, own), NONE).astype(np.int64)
    if is_constant(part[name]):
        return constant(rank[-1 if part[name][0] == NONE else part[name][0]], len(part))
    return rank[np.where(part.known(name), part[name], len(own))]
