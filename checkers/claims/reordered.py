"""A send landed below a record that the same client had been given before it.

Both sends are with acks=all and in the same partition; the order is that of the numbers of their
operations, also where both were under way at the same moment. Charged are clients whose library
promises to keep that order (`keeps_order`), as idempotent producers of Kafka's own client, of
librdkafka and of sarama do; of others it is told. Of clients of which nobody told whether theirs
does, nobody can tell. Offsets are compared as they were acknowledged: which of two sends came to an
offset that was given away twice, **inconsistent-offsets** asks.
"""

from __future__ import annotations

import numpy as np

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Offsets
from highwater.checkers.standings import Standings, given


def judge(part: Offsets) -> Findings:
    found = Findings(considered=int(np.count_nonzero(part.acknowledged)))
    standings = Standings(part, given(part))
    promised = part.of_clients(lambda client: client.keeps_order is True)
    untold = part.of_clients(lambda client: client.keeps_order is None)
    wrong = standings.too_low & ~untold
    found.doubt(
        "sent before another one, nobody told whether its client's library keeps the order",
        np.count_nonzero(standings.too_low & untold),
    )
    found.allow("in another order than it was sent, by who does not promise it", wrong & ~promised)

    def witness_of(row: int) -> Witness:
        above = standings.above(row)
        return {"after_offset": above.offset, "after_value": above.value}

    shown = part.shown("topic", "partition", "client", "offset", "value", "op")
    found.anomaly(wrong & promised, shown, witness_of)
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
