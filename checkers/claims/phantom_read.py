"""A consumer was handed a value that nobody ever sent.

A send counts however it ended, one that is still open included. A value whose send is known to
have failed is not a phantom: that would be an aborted read.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import POLL, SEND, Values


def judge(part: Values) -> Findings:
    read = part.is_kind(POLL) & part.known("value")
    found = Findings(considered=int(np.count_nonzero(read)))
    sent = part.by_value.anywhere(part.is_kind(SEND))
    found.anomaly(
        read & ~sent, part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
    )
    return found


CLAIM = Claim(
    name="phantom-read",
    title="every value that was read had been sent",
    definition=__doc__,
    about="values that were read",
    needs=("history",),
    part=Values,
    judge=judge,
)
