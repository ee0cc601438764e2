"""Values that stand at several offsets because they were sent several times."""

from __future__ import annotations

import numpy as np

from highwater.checkers.attempts import NO_IDEMPOTENCE, beyond_sends, may_be_repeated, stand_with
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.reach import (
    begins,
    excuses_for_unread,
    has_leader_log,
    is_settled,
    leader_starts,
)
from highwater.checkers.rows import NONE, Bools


def not_allowed(part: Values, found: Findings, several: Bools, stands: Bools) -> Bools:
    """Of values that stand at several offsets those of which that is not told and allowed.

    It is of what was sent as often, and stands where it was acknowledged, and of what a producer
    without idempotence sent.
    """
    groups = part.by_value_here
    as_sent = several & ~beyond_sends(part, stands)
    if as_sent.any():
        as_sent &= ~groups.anywhere(_astray(part))
    found.allow("stand as often as they were sent", as_sent)
    by_contract = several & ~as_sent & groups.anywhere(may_be_repeated(part))
    found.allow(NO_IDEMPOTENCE, by_contract)
    left: Bools = several & ~as_sent & ~by_contract
    return left


def _astray(part: Values) -> Bools:
    """Acknowledged where nothing of it stands, though it stands elsewhere.

    The final leader's log says so, and where there is none a reader that passed it afterwards.
    """
    facts, offset = part.facts, part["offset"]

    def by_log(place: Place) -> bool:
        may_lack = facts.promises.topic(place[0]).tiered or bool(facts.leader_log(place).problems)
        return has_leader_log(facts, place) and is_settled(facts, place) and not may_lack

    firm = part.of_place(lambda place: not facts.promises.is_compacted(place[0])) == 1
    asked = part.acknowledged & (offset >= 0) & firm
    starts = leader_starts(part)
    kept = asked & part.on_leader & (starts != NONE) & (offset >= starts)
    kept &= part.of_place(by_log) == 1
    seen = asked & part.read & (offset >= part.of_place(lambda place: begins(facts, place)))
    seen &= part.of_place(lambda place: has_leader_log(facts, place)) == 0
    if seen.any():
        for _, rows in excuses_for_unread(part, offset, seen):
            seen &= ~rows
    found = np.zeros(len(offset), bool)
    for asked, there in ((kept, part.kept_by_leader), (seen, part.polled)):
        here = np.flatnonzero(asked)
        found[here] = ~stand_with(part, here, np.flatnonzero(there))
    return found
