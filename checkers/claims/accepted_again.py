"""A record was accepted in a share group twice, and a member was told each time that it is.

To have accepted a record is final (KIP-932): a broker writes it to __share_group_state before it
answers, and gives the record to nobody any more; who acknowledges what he has not been given, or
not any more, is refused (INVALID_RECORD_STATE). Charged is a span of offsets of which a member was
told that it has accepted them, beside another confirmed acceptance of some of them by the same
group: of several of the same offsets all but one, whichever came first: no clock is asked. To be
handed a record again is not charged. That is what share groups promise where nothing was accepted:
a lock timed out, a member left or released it, an answer did not arrive. It is told, and so is
nothing of an acceptance that was not confirmed. Offsets are what Kafka keeps the state of: a log
that was cut short and has other records there is asked about as well, and a scenario that sets a
group's offsets back has to tolerate this.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.facts import Facts
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples

HANDED_AGAIN = "spans of records that had been handed out before were handed out again"


def judge(_part: Samples) -> Findings:
    """Nothing of a part by itself: all of a group is known as a whole."""
    return Findings()


def conclude(found: Findings, facts: Facts) -> Findings:
    for each in facts.shares:
        found.considered += len(each.accepted.rows)
        found.anomaly(each.accepted.again, each.shown)
        found.allow(HANDED_AGAIN, np.asarray(each.handed.again))
    return found


CLAIM = Claim(
    name="accepted-again",
    title="no share group is told twice that it has accepted a record",
    definition=__doc__,
    about="acceptances that were confirmed to members of share groups",
    needs=("shares",),
    part=Samples,
    judge=judge,
    conclude=conclude,
)
