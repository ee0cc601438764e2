"""A member of a group was handed a record again that lay below what its group had committed.

Who takes over begins at the group's position, so that only what lies above it is handed out once
more. Asked is of each record that members of a group were handed: whether some member of this group
had been handed it before, at the same offset, and the position that the group had committed last
lay beyond it by then; both strictly before it was handed out again, in real time as members saw it.
What failed is no position, nor what was not confirmed by then. Nobody can tell where a commit of
a lower position may have come after that, for nobody knows how or when it ended, or both were under
way at once; nor where a clock ran backwards. Members that seek, or begin anew at a log's start, for
what they had committed is beyond its end (auto.offset.reset), are for the scenario to tolerate.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.repeats import members, repeats
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    group, names = members(part)
    handed = part.polled & (group != NONE) & (part["offset"] >= 0)
    found = Findings(considered=int(np.count_nonzero(handed)))
    shown = part.shown("topic", "partition", "offset", "value", "client")
    for one in repeats(part, group, handed):
        positions = part.facts.positions.get(one.place, {}).get(str(names[one.group]))
        if positions is None:
            continue
        offset = part["offset"][one.rows]
        least, most, lowest = positions.standing(one.since_ns, one.until_ns)
        wrong = one.surely & (least > offset) & (lowest > offset)
        doubtful = ~wrong & (most > offset)
        found.doubt("nobody knows what came last", np.count_nonzero(doubtful & one.surely))
        found.doubt(
            "nobody knows which was handed out first", np.count_nonzero(doubtful & ~one.surely)
        )
        committed = np.full(len(group), NONE)
        committed[one.rows[wrong]] = least[wrong]
        more = {"group": (group, names), "committed": (committed, None)}
        found.anomaly(committed != NONE, {**shown, **more})
    return found


CLAIM = Claim(
    name="handed-again",
    title="no member is handed again what its group has committed",
    definition=__doc__,
    about="records that members of groups were handed",
    needs=("history", "clients", "commits"),
    part=Values,
    judge=judge,
)
