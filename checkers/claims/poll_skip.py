"""A reader was handed records before and behind an offset, and not the one there that others were.

Offsets that nobody was handed are no gap: transaction markers and aborted records have some. What
only readers of uncommitted records were handed may be aborted: others are asked about it where it
had been acknowledged with acks=all at that offset, or its transaction committed. They themselves
are handed whatever anybody is. A reader is bound from its first offset to its last; a consumer that
seeks, or is assigned the partition anew, has another name from there on. Nobody can tell what was
deleted before the reader came, below the highest start of any replica's log, or compacted away; nor
of records whose send failed, nor of a reader that was handed some at offsets that nobody told.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets
from highwater.checkers.reach import excuses_for_skipped
from highwater.checkers.rows import Bools, alike, changes, constant, groups


def judge(part: Offsets) -> Findings:
    """Readers of uncommitted records are handed whatever anybody is."""
    found, loud = Findings(), part.facts.promises.uncommitted
    _skipped(part, found, part.handed_as_committed, lambda client: client not in loud)
    if loud:
        _skipped(part, found, part.placed, lambda client: client in loud)
    return found


def _skipped(
    part: Offsets, found: Findings, handed: Bools, is_asked: Callable[[str], bool]
) -> None:
    """What of all that was handed out some readers were not handed."""
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


CLAIM = Claim(
    name="poll-skip",
    title="a reader is handed all that is there from its first record to its last",
    definition=__doc__,
    about="records from a reader's first to its last",
    needs=("history",),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Offsets,
    judge=judge,
)
