"""A reader of committed records was handed a value whose send is known to have failed (Adya's G1a).

That is a record of a transaction whose abort was confirmed, or one that was refused outright. Where
the same value was sent again in that partition, and not in vain, the reader may have been handed
the other copy: unless that one is known to stand at another offset. Readers that are known to ask
for uncommitted records are asked only about values that were sent by nobody else than producers
known to use no transactions. What a send without a value failed to write nobody can tell.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.attempts import of_another_send
from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import Bools


def judge(part: Values) -> Findings:
    read = part.polled_as_committed | (part.polled & _of_no_transaction(part))
    found = Findings(considered=int(np.count_nonzero(read)))
    failed = part.is_kind(SEND) & part.is_word("outcome", "failed")
    if not failed.any():
        return found
    found.doubt("a send that failed has no value", np.count_nonzero(failed & ~part.known("value")))
    wrong = read & part.by_value.anywhere(failed) & ~of_another_send(part)
    if wrong.any():
        why = part.by_value.spread(part.by_value.least(part["error"], failed))
        shown = part.shown("topic", "partition", "offset", "value", "client", "invoked_ns")
        _, errors = part.shown("error")["error"]
        found.anomaly(wrong, {**shown, "failed_because": (why, errors)})
    return found


def _of_no_transaction(part: Values) -> Bools:
    """Values that were sent, and by none that may use transactions, to whatever partition."""
    if not part.facts.promises.uncommitted:  # who reads committed records is asked about all
        return np.zeros(len(part["value"]), bool)
    sends, plain = part.is_kind(SEND), part.of_clients(lambda one: one.transactional is False)
    found: Bools = part.by_value.anywhere(sends) & ~part.by_value.anywhere(sends & ~plain)
    return found


CLAIM = Claim(
    name="aborted-read",
    title="what failed is never read",
    definition=__doc__,
    about="values that were read",
    needs=("history",),
    uses=("clients",),
    part=Values,
    judge=judge,
)
