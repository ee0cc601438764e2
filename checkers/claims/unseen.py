"""A record acknowledged with acks=all is in the final leader's log, and no reader was handed it.

Some reader got beyond its offset, so it was there to be read. What is not in that log is not
unseen but lost, which is another claim; beyond what readers reached nobody can tell. What is below
the log's start has been deleted, by retention or on request: its segment may still have it.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values


def judge(part: Values) -> Findings:
    def last_reached(place: Place) -> int:
        return part.facts.covered.get(place, 0) - 1

    def start(place: Place) -> int:
        leader = part.facts.leader(place)
        return 0 if leader is None else leader.log_start_offset or 0

    offset = part["offset"]
    passed = (offset >= part.of_place(start)) & (offset <= part.of_place(last_reached))
    asked = part.acknowledged & part.on_leader & passed
    found = Findings(considered=int(np.count_nonzero(asked)))
    shown = part.shown("topic", "partition", "offset", "value", "client")
    times = part.shown("invoked_ns", "completed_ns")
    found.anomaly(asked & ~part.read, {**shown, **times})
    return found


CLAIM = Claim(
    name="unseen",
    title="what is stored and was passed by a reader was read",
    definition=__doc__,
    about="acknowledged records in a final leader's log that a reader passed",
    needs=("history", "replica_logs", "replica_ends"),
    part=Values,
    judge=judge,
)
