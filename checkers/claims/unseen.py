"""A record acknowledged with acks=all is in the final leader's log, and no reader was handed it.

Some reader passed the offset where the log has it (lost-write says what that means), so it was
there to be read. What is not in that log is not unseen but lost, which is another claim; what no
reader passed is not asked. What is below the log's start has been deleted, by retention or on
request: its segment may still have it. Where nobody told where the log starts, nobody can tell of
what was not handed out.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.rows import NONE, Ints
from highwater.checkers.spans import within


def judge(part: Values) -> Findings:
    def start(place: Place) -> int:
        leader = part.facts.leader(place)
        told = None if leader is None else leader.log_start_offset
        return NONE if told is None else told

    groups, kept = part.by_value_here, part.kept_by_leader
    offset = groups.spread(groups.largest(part["offset"], kept))  # where the log has it
    starts: Ints = part.of_place(start)
    asked = part.acknowledged & groups.anywhere(kept) & (offset >= starts)
    for number, place in enumerate(part.places):
        here = np.flatnonzero(asked & (part["place"] == number))
        asked[here] = within(offset[here], part.facts.passed.get(place, ()))
    found = Findings(considered=int(np.count_nonzero(asked)))
    unread = asked & ~part.read
    untold = unread & (starts == NONE)
    found.doubt("nobody told where the leader's log starts", np.count_nonzero(untold))
    stands = {"offset": (offset, None)}
    shown = {**part.shown("topic", "partition", "offset", "value", "client"), **stands}
    times = part.shown("invoked_ns", "completed_ns")
    found.anomaly(unread & ~untold, {**shown, **times})
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
