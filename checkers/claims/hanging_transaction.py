"""A leader's last stable offset stayed where it was for longer than any transaction may last.

Readers of committed records are handed nothing from there on. A transaction that its producer does
not end is ended by its coordinator: once transaction.timeout.ms is over, at its next look, each
transaction.abort.timed.out.transaction.cleanup.interval.ms, 10 s by default and at least. For that,
and 10 s more until the markers stand, are allowed beyond the longest timeout of whoever sent to the
partition; in __consumer_offsets, where positions stand that are committed in transactions, of every
producer that may use some.
Charged is a last stable offset below the high watermark that all looks showed for longer than that,
at one leader in one epoch, after the last fault was healed (`healed_ns` of run.json). What stands
there belongs to no transaction that a coordinator knows (KIP-890), or nobody writes its marker.

Nobody can tell where a timeout, or when all was healed, is not told; nor of one that was seen below
the high watermark at the last look, and had not been for long.
"""

from __future__ import annotations

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, findings_of
from highwater.checkers.last_stable import judged_by_place
from highwater.checkers.parts import Samples


def judge(part: Samples) -> Findings:
    return findings_of(judged_by_place(part))


CLAIM = Claim(
    name="hanging-transaction",
    title="no transaction keeps the last stable offset back for longer than its timeout",
    definition=__doc__,
    about="partitions whose last stable offset was looked at",
    needs=("clients", "replica_states"),
    uses=("history",),
    part=Samples,
    judge=judge,
)
