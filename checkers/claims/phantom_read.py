"""A consumer was handed a value that nobody had sent to that partition.

A send counts however it ended, one that is still open included, unless it began only after the
reader had been handed the value. A value whose send is known to have failed, in whatever partition,
is not a phantom: that would be an aborted read. Topics that this run does not write to are left
alone, for their records are others'; one that was created again is the run's own. Where a partition
has sends without a value nobody can tell.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.readings import BACKWARDS
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    written = part.of_place(lambda place: part.facts.is_written(place[0])) == 1
    read = part.polled & written
    found = Findings(considered=int(np.count_nonzero(read)))
    groups, sends = part.by_value_here, part.is_kind(SEND)
    begun = groups.spread(groups.least(part["invoked_ns"], sends))
    strange = read & (begun == NONE)
    if strange.any():
        failed = sends & part.is_word("outcome", "failed")
        strange &= ~part.by_value.anywhere(failed)
    nameless = part.of_place(lambda place: place in part.facts.nameless) == 1
    found.doubt("there are sends without a value", np.count_nonzero(strange & nameless))
    strange &= ~nameless
    early = read & (begun != NONE) & (part.ended_ns < begun)
    if early.any():
        backwards = part.ran_backwards | groups.anywhere(sends & part.ran_backwards)
        found.doubt(BACKWARDS, np.count_nonzero(early & backwards))
        strange |= early & ~backwards
    found.anomaly(
        strange, part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
    )
    return found


CLAIM = Claim(
    name="phantom-read",
    title="every value that was read had been sent",
    definition=__doc__,
    about="values that were read in topics that this run writes to",
    needs=("history",),
    part=Values,
    judge=judge,
)
