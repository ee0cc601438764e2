"""A client was handed a record of its own before its send, or the transaction it was in, had ended.

Readers are those of committed records, and a record is committed when its transaction is. What
counts is when the client began the poll; where nobody knows how the send ended, nobody can tell.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import POLL, SEND, Values
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    groups, sends, polls = part.by_value, part.is_kind(SEND), part.is_kind(POLL)
    if not (part.present("client", sends) & part.present("client", polls)).any():
        return Findings()  # nobody does both
    ended = sends & part.is_word("outcome", "ok", "failed")
    sender = groups.spread(groups.largest(part["client"], sends))
    until = groups.spread(groups.largest(part["completed_ns"], ended))
    own = polls & part.known("value") & (part["client"] == sender)
    found = Findings(considered=int(np.count_nonzero(own)))
    found.doubt("nobody knows how its send ended", np.count_nonzero(own & (until == NONE)))
    shown = part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
    found.anomaly(own & (until > part["invoked_ns"]), {**shown, "send_ended_ns": (until, None)})
    return found


CLAIM = Claim(
    name="precommitted-read",
    title="nobody reads what it has not committed yet",
    definition=__doc__,
    about="records that were handed to their own sender",
    needs=("history",),
    part=Values,
    judge=judge,
)
