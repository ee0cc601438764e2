"""A record below a position that a group committed was processed by none of its members.

Whoever takes over begins at the group's position, so that nobody comes back to what lies below it:
a member that commits before it has processed, and then dies, leaves it undone. Asked is, of what
any reader of committed records was handed, or any other one and had been acknowledged with acks=all
at that offset, what lies below the last position that was confirmed to one of the group's members;
of a group that begins at the latest offset nothing that lies below all that it processed and what
it may have committed first. Nobody can tell of groups of which nobody told anywhere what they
processed; of records below where a group began, where nobody told where that is; above a lower
commit that may have been the last, for it was confirmed and no other was after it, or nobody knows
whether and when it took effect; of what a group left whose libraries commit, where nobody saw that;
at offsets at which readers were handed several values, or the final leader's log has something
else; and of what retention or compaction may have taken, or a send that failed may have written.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.automatic import undone_by_unseen
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Offsets
from highwater.checkers.reach import excuses_for_undone
from highwater.checkers.rows import changes


def judge(part: Offsets) -> Findings:
    found = undone_by_unseen(part)
    polls = np.flatnonzero(part.handed_as_committed)
    once = polls[changes(part["place"][polls], part["offset"][polls])]  # of each offset
    starts = np.searchsorted(part["place"][once], np.arange(len(part.places) + 1))
    for place, start, stop in zip(part.places, starts[:-1], starts[1:], strict=True):
        here, offset = once[start:stop], part["offset"][once[start:stop]]
        for group in part.facts.groups.get(place, ()):
            first, end = np.searchsorted(offset, (group.asked_from, group.committed))
            asked = here[first:end]
            found.considered += len(asked)
            left = asked[~group.has_processed(offset[first:end])]
            if not len(left):
                continue
            undone = np.isin(np.arange(len(part["place"])), left)
            for why, rows in excuses_for_undone(part, place, group, undone):
                found.doubt(why, np.count_nonzero(undone & rows))
                undone &= ~rows
            shown = part.shown("topic", "partition", "offset", "value")
            found.anomaly(undone, {**shown, **group.shown(part["offset"], undone)})
    return found


CLAIM = Claim(
    name="unprocessed",
    title="what lies below a position that a group committed has been processed",
    definition=__doc__,
    about="records below a position that a group committed",
    needs=("history", "commits", "processed"),
    uses=("replica_logs", "replica_ends", "clients"),
    part=Offsets,
    judge=judge,
)
