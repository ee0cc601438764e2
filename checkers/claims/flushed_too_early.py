"""A client said that it has flushed, and a record that it was handed before had no outcome yet.

Kafka's producer and those that follow it promise of a flush that it waits for all records that were
sent before: each of them is acknowledged then, or has failed. An application goes by that: what it
has made of its inputs is sent, and it commits their positions. Charged is each send that began
before its client was told to flush and ended after the client said that it has (`flushes`), or of
which nobody knows that it ended. One send is charged once, however often its client has flushed.
A client that says that it cannot flush has promised nothing: that is told, and not charged.

Only flushes of a library's own are recorded: where an adapter waits for all outcomes by itself it
is not the library that promises anything. Nobody can tell of sends whose end has no time, nor where
a clock was set back during the send or the flush; nor of a send in a transaction that had not ended
by then: it ends, for the record, with its transaction, and may have been acknowledged long before.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings
from highwater.checkers.parts import Values
from highwater.checkers.to_be_flushed import ToBeFlushed


def judge(part: Values) -> Findings:
    found = Findings()
    for client, flushed in part.facts.flushes.items():
        asked = ToBeFlushed(part, client, flushed)
        found.considered += len(asked.rows)
        found.doubt("nobody told when it ended", np.count_nonzero(asked.untold))
        found.doubt("a clock ran backwards", np.count_nonzero(asked.unsure))
        found.doubt("sent in a transaction that ended later", np.count_nonzero(asked.within))
        found.allow("were to be flushed by one that failed", asked.mask(asked.failed))
        names = ("client", "value", "topic", "partition", "invoked_ns")
        shown = part.shown(*names, flushed_ns=asked.flushed_ns, completed_ns=asked.ended_ns)
        found.anomaly(asked.mask(asked.wrong), shown)
    return found


CLAIM = Claim(
    name="flushed-too-early",
    title="who says that it has flushed has an outcome of all that it sent",
    definition=__doc__,
    about="sends of clients that were told to flush afterwards",
    needs=("history", "flushes"),
    uses=("clients",),
    part=Values,
    judge=judge,
)
