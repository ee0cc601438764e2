"""What readers were not handed, of all that was handed out between their firsts and their lasts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets
from highwater.checkers.reach import excuses_for_skipped
from highwater.checkers.rows import Bools, alike, changes, constant, groups


def note_skipped(
    part: Offsets, found: Findings, handed: Bools, is_asked: Callable[[str], bool]
) -> None:
    """Add to the findings what of these records the readers that are asked were not handed."""
    polls = np.flatnonzero(handed)
    place, offset = part["place"][polls], part["offset"][polls]
    begins = changes(place, offset)
    there, first = np.cumsum(begins) - 1, np.flatnonzero(begins)  # each offset's number, and row
    readers = {(int(place[at[0]]), part.text("client", polls[at[0]])): there[at]
               for at in groups(alike(place, part["client"][polls]))}  # fmt: skip
    for (where, client), reach in part.facts.handed_within.items():
        if where not in part.places or not is_asked(client):
            continue
        number = part.places.index(where)
        start, end = np.searchsorted(place[first], (number, number + 1))
        offsets = offset[first[start:end]]
        low = start + np.searchsorted(offsets, reach[0])
        high = start + np.searchsorted(offsets, reach[1], "right")
        found.considered += int(high - low)
        own = readers.get((number, client), there[:0])
        if np.count_nonzero(changes(own)) < high - low:
            skipped = np.zeros(len(part["place"]), bool)
            skipped[polls[first[np.setdiff1d(np.arange(low, high), own)]]] = True
            for why, rows in excuses_for_skipped(part, (where, client), skipped):
                found.doubt(why, np.count_nonzero(skipped & rows))
                skipped &= ~rows
            shown = part.shown("topic", "partition", "offset", "value")
            by = {"client": (constant(0, len(skipped)), np.array([client], object))}
            found.anomaly(skipped, {**shown, **by, "handed_to": part.shown("client")["client"]})
