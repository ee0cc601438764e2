"""Segments of replicas' logs: what their records are, and in which order these lie."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from highwater.checkers.facts import Facts, Segment
from highwater.checkers.parts import Part
from highwater.checkers.rows import NONE, Bools, Ints, Rows, changes

NAME_LENGTH = len(f"{0:020d}.log")
UNORDERED = "in a segment whose positions do not begin at 0"


class Segments(Part):
    """All sound records in some segments of replicas' logs, batch by batch, as they lie there."""

    def __init__(self, rows: Rows, facts: Facts) -> None:
        by = ("place", "broker", "segment", "position", "offset", "leader_epoch")
        super().__init__(rows, facts, by)

    def segments(self) -> Iterator[tuple[slice, Segment]]:
        """The records of each segment, and which one that is."""
        starts = self.starts("place", "broker", "segment")
        for start, end in zip(starts, np.append(starts[1:], len(self["offset"])), strict=True):
            log = self.place(start), int(self["broker"][start])
            yield slice(start, end), (*log, str(self.text("segment", start)))

    @cached_property
    def batches(self) -> Bools:
        """Where a batch begins, with the smallest of its offsets; it has one leader epoch."""
        names = ("place", "broker", "segment", "position", "leader_epoch")
        return changes(*(self[name] for name in names))

    @cached_property
    def unordered(self) -> Bools:
        """Records of segments whose positions cannot be bytes in a file, for none of them is 0."""
        found = np.zeros(len(self["offset"]), bool)
        for rows, segment in self.segments():
            found[rows] = self.facts.begins.get(segment, 0) != 0
        return found

    @cached_property
    def before(self) -> Ints:
        """For each record the largest offset before it in its log; NONE for the first."""
        before = np.full(len(self["offset"]), NONE)
        for rows, segment in self.segments():
            carried = self.facts.highest.get(segment, NONE)
            so_far = np.maximum.accumulate(np.append(carried, self["offset"][rows]))
            before[rows] = so_far[:-1]
        return before


def with_padded_names(rows: Rows, column: str) -> Rows:
    """Names of segments as Kafka writes them, so that their order is that of their base offsets.

    A name whose stem is no number stays as it is.
    """
    names = [str(word) for word in rows.words[column]]
    padded = [name.zfill(NAME_LENGTH) if name.split(".")[0].isdecimal() else name
              for name in names]  # fmt: skip
    if padded == names:
        return rows
    words = np.array(sorted(set(padded)), object)
    rank = np.append(np.searchsorted(words, np.array(padded, object)), NONE).astype(np.int64)
    places = np.where(rows.known(column), rows[column], len(names))
    renamed = Rows(rows.columns, {**rows.words, column: words})
    return renamed.with_columns(**{column: rank[places]})
