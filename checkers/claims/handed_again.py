"""Who took over was handed a record again that lay below what its group had committed by then.

Who takes over begins at the group's position. Asked is of each record that members of a group were
handed and that could be made out: whether a member of this group had been handed it before, the
same value at the same offset, or told that it had finished with it since it was acknowledged there
(`processed`: who is killed may not have said what it was handed), and the position that the group
had committed last before its reader began lay beyond it. What failed is no position, nor what was
not confirmed by then; a group of which no commit is told has none, unless it left them to its
libraries: then nobody can tell. What a reader is handed that was committed after it began is for
nonmonotonic-poll, or of one that the group went on without. Nobody can where nobody told when a
reader began, or whether it is a member, a commit of a lower position may have come last, two were
handed it at once, or a clock ran backwards. Positions that others set or delete, that expire, or
that lie beyond the log, and members that seek, are for the scenario to tolerate.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.automatic import doubt_unseen
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.repeats import MAY_BE_ITS, members, repeats, unsure_repeats
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    group, names = members(part)
    handed = part.polled & (group != NONE) & (part["offset"] >= 0)
    again = unsure_repeats(part, group, names)
    found = Findings(considered=int(np.count_nonzero(handed)) + again)
    found.doubt(MAY_BE_ITS, again)
    for one in repeats(part, group, names, handed):
        name = str(names[one.group])
        if (positions := part.facts.positions.get(one.place, {}).get(name)) is None:
            doubt_unseen(found, part.facts, name, len(one.rows))
            continue
        offset = part["offset"][one.rows]
        least, most, lowest = positions.standing(one.since_ns, one.until_ns)
        wrong = one.surely & one.timed & (least > offset) & (lowest > offset)
        for why, rows in one.reasons:
            found.doubt(why, np.count_nonzero(~wrong & (most > offset) & rows))
        committed = np.full(len(group), NONE)
        committed[one.rows[wrong]] = least[wrong]
        shown = part.shown("topic", "partition", "offset", "value", "client", committed=committed)
        found.anomaly(committed != NONE, {**shown, "group": (group, names)})
    return found


CLAIM = Claim(
    name="handed-again",
    title="no member is handed again what its group has committed",
    definition=__doc__,
    about="records that members of groups were handed",
    needs=("history", "clients", "commits"),
    uses=("processed",),
    part=Values,
    judge=judge,
)
