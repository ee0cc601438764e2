"""A consumer was handed a value whose send is known to have failed (Adya's G1a).

That is a record of a transaction whose abort was confirmed, or one that was refused outright. Only
readers of committed records are in the history; who reads uncommitted ones asks for this.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import POLL, SEND, Values


def judge(part: Values) -> Findings:
    read = part.is_kind(POLL) & part.known("value")
    found = Findings(considered=int(np.count_nonzero(read)))
    failed = part.is_kind(SEND) & part.is_word("outcome", "failed")
    if not failed.any():
        return found
    wrong = read & part.by_value.anywhere(failed)
    if wrong.any():
        why = part.by_value.spread(part.by_value.least(part["error"], failed))
        shown = part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
        _, errors = part.shown("error")["error"]
        found.anomaly(wrong, {**shown, "failed_because": (why, errors)})
    return found


CLAIM = Claim(
    name="aborted-read",
    title="what failed is never read",
    definition=__doc__,
    about="values that were read",
    needs=("history",),
    part=Values,
    judge=judge,
)
