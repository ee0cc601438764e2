"""A client was handed a record of its own transaction before that transaction had ended.

Readers are those of committed records, and such a record is committed when its transaction is. So
the poll had ended before the client heard of its transaction's end, by one client that does one
thing at a time. A record outside of transactions is committed when the in-sync replicas have it,
which may well be before its sender hears of it: it is not asked for, and where a record does not
say whether a client uses transactions nobody can tell. Nor can anybody whose record it was that
several clients, or one several times, had sent. Who polls between two attempts to commit one
transaction, of which the first had done it, is for the scenario to tolerate.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.readings import BACKWARDS
from highwater.checkers.rows import NONE


def judge(part: Values) -> Findings:
    if not part.handed_to_their_sender.any():
        return Findings()
    sends, groups = part.is_kind(SEND), part.by_value
    ended = sends & part.is_word("outcome", "ok", "failed")
    plain = part.of_clients(lambda client: client.transactional is False)
    own = part.polled_as_committed & part.handed_to_their_sender & ~plain
    until = groups.spread(groups.largest(part["completed_ns"], ended))
    found = Findings(considered=int(np.count_nonzero(own)))
    backwards = own & (part.ran_backwards | groups.anywhere(sends & part.ran_backwards))
    found.doubt(BACKWARDS, np.count_nonzero(backwards))
    open_ = own & ~backwards & (until == NONE)
    found.doubt("nobody knows how its send ended", np.count_nonzero(open_))
    early = own & ~backwards & (until > part.ended_ns)
    attempts = groups.spread(groups.count(sends & ~part.is_word("outcome", "invoked")))
    found.doubt("it was sent more than once", np.count_nonzero(early & (attempts > 1)))
    early &= attempts <= 1
    known = part.of_clients(lambda client: client.transactional is True)
    found.doubt("its sender may have used no transaction", np.count_nonzero(early & ~known))
    shown = part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
    found.anomaly(early & known, {**shown, "send_ended_ns": (until, None)})
    return found


CLAIM = Claim(
    name="precommitted-read",
    title="nobody reads what it has not committed yet",
    definition=__doc__,
    about="records that were handed to their own sender",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
)
