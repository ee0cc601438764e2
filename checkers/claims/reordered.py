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
from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.parts import Offsets
from highwater.checkers.rows import NONE, Bools, Ints
from highwater.checkers.standings import Standings, given

LOST = "acknowledged after one above it, which may have been lost, and its place given away again"
UNTOLD = "sent before another one, nobody told whether its client's library keeps the order"
TIMELESS = "above it stands one that was sent before, and nobody told when both were acknowledged"


def judge(part: Offsets) -> Findings:
    found = Findings(considered=int(np.count_nonzero(part.acknowledged)))
    standings = Standings(part, given(part))
    low = standings.too_low
    if not low.any():
        return found
    promised = part.of_clients(lambda client: client.keeps_order is True)
    untold = part.of_clients(lambda client: client.keeps_order is None)
    found.doubt(UNTOLD, np.count_nonzero(low & untold))
    found.allow("in another order than sent, by who does not promise it", low & ~promised & ~untold)
    asked, done = low & promised, part["completed_ns"]
    since = np.where(done >= part["invoked_ns"], done, NONE)
    first = _of_first(part, asked, standings.first, since)
    timed = (since != NONE) & (first != NONE)
    found.doubt(TIMELESS, np.count_nonzero(asked & ~timed))
    found.doubt(LOST, np.count_nonzero(asked & timed & (since >= first)))

    def witness_of(row: int) -> Witness:
        above = standings.above(row)
        return {"after_offset": above.offset, "after_value": above.value}

    shown = part.shown("topic", "partition", "client", "offset", "value", "op")
    found.anomaly(asked & timed & (since < first), shown, witness_of)
    return found


def _of_first(part: Offsets, asked: Bools, ops: Ints, since: Ints) -> Ints:
    """When the sends with these operations were acknowledged, some of which were only surveyed."""
    own = np.flatnonzero(part.acknowledged & np.isin(part["op"], ops[asked]))
    known = {
        (*_client_at(part, row), op): at_ns
        for row, op, at_ns in zip(own, part["op"][own].tolist(), since[own].tolist(), strict=True)
    }
    for (place, client, _), one in part.facts.given.items():
        known[place, client, one.ended] = one.completed_ns
    found = np.full(len(asked), NONE)
    for row in np.flatnonzero(asked):
        found[row] = known.get((*_client_at(part, row), int(ops[row])), NONE)
    return found


def _client_at(part: Offsets, row: int | np.intp) -> tuple[Place, str]:
    return part.place(row), str(part.text("client", row))


CLAIM = Claim(
    name="reordered",
    title="what a client was given later stands later",
    definition=__doc__,
    about="sends acknowledged with acks=all at a known offset",
    needs=("history", "clients"),
    part=Offsets,
    judge=judge,
)
