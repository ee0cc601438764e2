"""A send landed below a record that the same client had been given before it.

Both sends are with acks=all and in the same partition; the order is that of the numbers of their
operations, also where both were under way at the same moment. Of all that stand above a send, it is
compared with the one that its client was given first, and charged if it was acknowledged strictly
before that one: brokers answer one connection in order, so that it had overtaken it. Where it was
acknowledged later, the other one may have been lost meanwhile and its place given away again, and
where one of these times is not known, or a clock ran backwards, nobody can tell. Charged are
clients whose library promises to keep the order (`keeps_order`), as idempotent producers of Kafka's
own client, of librdkafka and of sarama do; of others it is told. Of clients of which nobody told
whether theirs does, nobody can tell.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.overtaking import NO_ORDER, overtaking
from highwater.checkers.parts import Offsets


def judge(part: Offsets) -> Findings:
    found = Findings(considered=int(np.count_nonzero(part.acknowledged)))
    seen = overtaking(part)
    for why, rows in seen.doubts.items():
        found.doubt(why, np.count_nonzero(rows))
    found.allow(NO_ORDER, seen.told)

    def witness_of(row: int) -> Witness:
        above = seen.standings.above(row)
        return {"after_offset": above.offset, "after_value": above.value}

    shown = part.shown("topic", "partition", "client", "offset", "value", "op")
    found.anomaly(seen.charged, shown, witness_of)
    return found


CLAIM = Claim(
    name="reordered",
    title="what a client was given later stands later",
    definition=__doc__,
    about="sends acknowledged with acks=all at a known offset",
    needs=("history", "clients"),
    part=Offsets,
    judge=judge,
)
