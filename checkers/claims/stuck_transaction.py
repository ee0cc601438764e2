"""For longer than 40 s a coordinator said of a transaction that it is decided and not yet complete.

A transaction is decided when its coordinator has written that it is to be committed or aborted: it
is in PrepareCommit or PrepareAbort. From then on the coordinator alone completes it: it sends
markers to the leaders of its partitions, again and again until they have answered. An answer that
does not come it waits for as long as request.timeout.ms of brokers says, 30 s by default, and sends
the marker again; for that, 30 s at least, and to write that all is complete, which may take 10 s
more, are allowed. Charged is a transaction that one coordinator called decided at all looks for
longer than that, after the last fault was healed (`healed_ns` of run.json). Its producer can begin
no other one meanwhile (CONCURRENT_TRANSACTIONS), and where a marker is missing readers of committed
records wait. One anomaly for each transactional id. Transactions of one producer are told apart by
when they began.

Nobody can tell where it is not told when all was healed; nor of one that is decided at the last
look, and has not been for long.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.decided import judged_by_id
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.parts import Samples


def judge(part: Samples) -> Findings:
    return findings_of(judged_by_id(part))


CLAIM = Claim(
    name="stuck-transaction",
    title="a transaction that is decided is completed",
    definition=__doc__,
    about="transactional ids that a coordinator was asked about",
    needs=("transaction_states",),
    part=Samples,
    judge=judge,
)
