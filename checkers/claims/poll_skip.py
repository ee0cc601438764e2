"""A reader was handed records before and behind an offset, and not the one there that others were.

Offsets that nobody was handed are no gap: transaction markers and aborted records have some. A
reader is bound from its first offset to its last; a consumer that seeks, or is assigned the
partition anew, has another name from there on. Compacted topics are not for this claim.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import POLL, Offsets
from highwater.checkers.rows import changes, constant, groups, numbered


def judge(part: Offsets) -> Findings:
    found = Findings()
    polls = np.flatnonzero(part.is_kind(POLL) & (part["offset"] >= 0))
    begins = changes(part["place"][polls], part["offset"][polls])
    there, first = np.cumsum(begins) - 1, polls[begins]  # each offset's number, and its first row
    readers = {
        (part.place(polls[at[0]]), part.text("client", polls[at[0]])): np.unique(there[at])
        for at in groups(numbered(part["place"][polls], part["client"][polls]))
    }
    for (place, client), (low, high) in part.facts.handed_within.items():
        if place in part.places:
            here = part["place"][first] == part.places.index(place)
            bound = here & (part["offset"][first] >= low) & (part["offset"][first] <= high)
            found.considered += int(np.count_nonzero(bound))
            bound[readers.get((place, client), [])] = False
            skipped = np.zeros(len(part["place"]), bool)
            skipped[first[bound]] = True
            shown = part.shown("topic", "partition", "offset", "value")
            by = {"client": (constant(0, len(skipped)), np.array([client], object))}
            found.anomaly(skipped, {**shown, **by, "handed_to": part.shown("client")["client"]})
    return found


CLAIM = Claim(
    name="poll-skip",
    title="a reader is handed all that is there from its first record to its last",
    definition=__doc__,
    about="records from a reader's first to its last",
    needs=("history",),
    part=Offsets,
    judge=judge,
)
