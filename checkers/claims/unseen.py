"""A record acknowledged with acks=all is in the final leader's log, and no reader was handed it.

Some reader passed the offset where the log has it (lost-write says what that means) after it was
acknowledged, so it was there to be read. What is not in that log is not unseen but lost, which is
another claim; what no reader passed is not asked, and of what readers passed before it was
acknowledged nobody can tell. Nor is asked what may be a copy of an attempt that was aborted, or is
below the log's start and thus deleted. Where nobody told where that is, or when the record was
acknowledged, or a clock ran backwards by which one came before the other, nobody can tell of it.

What only readers of uncommitted records were handed, as they are what was aborted, is unseen where
another reader passed it for sure after it was acknowledged, or its transaction committed.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.attempts import acknowledged_copies
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.reach import excuses_for_unread, leader_starts, veiled
from highwater.checkers.rows import NONE
from highwater.checkers.spans import within


def judge(part: Values) -> Findings:
    groups, kept = part.by_value_here, part.kept_by_leader
    if not kept.any():
        return Findings()
    kept = acknowledged_copies(part)
    offset = groups.spread(groups.largest(part["offset"], kept))  # where the log has it
    starts = leader_starts(part)
    asked = part.acknowledged & groups.anywhere(kept) & (offset >= starts)
    for number, place in enumerate(part.places):
        here = np.flatnonzero(asked & (part["place"] == number))
        asked[here] = within(offset[here], part.facts.passed.get(place, ()))
    found = Findings(considered=int(np.count_nonzero(asked)))
    unread = asked & ~part.read
    untold = unread & (starts == NONE)
    found.doubt("nobody told where the leader's log starts", np.count_nonzero(untold))
    for why, rows in excuses_for_unread(part, offset, unread & ~untold):
        found.doubt(why, np.count_nonzero(rows & ~untold))
        untold |= rows
    wrong = (unread & ~untold) | veiled(part, offset, asked & (starts != NONE))
    shown, stands = part.shown("topic", "partition", "offset", "value", "client"), (offset, None)
    found.anomaly(wrong, {**shown, **part.shown("invoked_ns", "completed_ns"), "offset": stands})
    return found


CLAIM = Claim(
    name="unseen",
    title="what is stored and was passed by a reader was read",
    definition=__doc__,
    about="acknowledged records in a final leader's log that a reader passed",
    needs=("history", "replica_logs", "replica_ends"),
    uses=("clients",),
    part=Values,
    judge=judge,
)
