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

    A reader began at offset 0 where `clients` says "earliest", else at the first offset that it was
    handed. One that got to an end and was handed nothing on the way began at offset 0 if it did so
    wherever it was handed something; else nobody knows where it began.
    """
    reached = {reader: last for reader, (_, last) in handed_within.items()}
    for one in readings:
        if one.action == "end" and one.offset is not None and one.offset > 0:
            reader = one.place, one.client
            reached[reader] = max(one.offset - 1, reached.get(reader, 0))
    at_zero = _begin_at_zero(handed_within)
    spans: dict[Place, list[Range]] = defaultdict(list)
    for (place, client), last in reached.items():
        begins_at_zero = promises.client(client).begins_at == EARLIEST
        first = handed_within.get((place, client), (None, last))[0]
        if begins_at_zero or (first is None and at_zero.get(client, False)):
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


def _begin_at_zero(handed_within: Mapping[Reader, Range]) -> dict[str, bool]:
    """For each client that was handed something, whether it began at offset 0 everywhere."""
    found: dict[str, bool] = {}
    for (_, client), (first, _) in handed_within.items():
        found[client] = found.get(client, True) and first == 0
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
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 2) > 1)
    lasts = np.append(begins[1:], len(ordered)) - 1
    return list(zip(ordered[begins].tolist(), ordered[lasts].tolist(), strict=True))
