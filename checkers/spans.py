"""Which offsets of a partition readers passed: from where each began to where it got."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from highwater.checkers.promises import EARLIEST, Promises
from highwater.checkers.rows import Bools, Ints

if TYPE_CHECKING:
    from highwater.checkers.facts import Place, Reading

Range = tuple[int, int]  # the first and the last offset
Reader = tuple["Place", str]


def passed_by(
    handed_within: Mapping[Reader, Range], readings: Iterable[Reading], promises: Promises
) -> dict[Place, list[Range]]:
    """For each partition the first and last offsets of what readers passed, without overlaps.

    A reader began at offset 0 where `clients` says "earliest" and nothing is deleted by retention,
    else at the first offset that it was handed. Where one began that was handed nothing on its way
    to an end nobody knows.
    """
    reached = {reader: last for reader, (_, last) in handed_within.items()}
    for one in readings:
        if one.action == "end" and one.offset is not None and one.offset > 0:
            reader = one.place, one.client
            reached[reader] = max(one.offset - 1, reached.get(reader, 0))
    spans: dict[Place, list[Range]] = defaultdict(list)
    for (place, client), last in reached.items():
        first = handed_within.get((place, client), (None, last))[0]
        if promises.client(client).begins_at == EARLIEST and not promises.deletes:
            first = 0
        if first is not None:
            spans[place].append((first, last))
    return {place: merged(found) for place, found in spans.items()}


def within(offsets: Ints, spans: Sequence[Range]) -> Bools:
    """Which of these offsets lie in one of the spans."""
    if not spans:
        return np.zeros(len(offsets), bool)
    firsts, lasts = np.array(spans, np.int64).T
    at = np.searchsorted(firsts, offsets, "right") - 1
    found: Bools = (at >= 0) & (offsets <= lasts[at])
    return found


def merged(spans: Iterable[Range]) -> list[Range]:
    """The same offsets in as few spans as possible, in their order."""
    found: list[Range] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def spans_of(offsets: Ints) -> list[Range]:
    """Offsets as spans."""
    ordered = np.unique(offsets)
    if not len(ordered):
        return []
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 2) > 1)
    lasts = np.append(begins[1:], len(ordered)) - 1
    return list(zip(ordered[begins].tolist(), ordered[lasts].tolist(), strict=True))
