"""Stories of transactions of chance, that seldom end as they should.

Each has a chance of its own, so that all other rows are what they are without these.
"""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.chance_rows import client_row, look, send, some
from tests.checkers.conftest import Row

S = 10**9


def hanging(chance: random.Random) -> list[Row]:
    """Looks at a leader whose last stable offset stays where it was: seldom for long enough."""
    own = random.Random(repr(chance.getstate()) + "hanging")
    if own.random() < 0.6:
        return []
    there, rows = {"topic": "l", "partition": 0}, list[Row]()
    for client in ("u", "v")[: some(own, 1, 1, 2)]:
        told = {"client": client, "outcome": some(own, "ok", "failed", "invoked"), "offset": None}
        rows.append(("history", {**send(own)[1], **there, **told, "value": 90}))
        timeout = {"transaction_timeout_ms": some(own, 0, 5_000, 5_000, 40_000, -1, None)}
        row = {**client_row(client, own)[1], "role": "producer", **timeout}
        if own.random() < 0.9:
            rows.append(("clients", row))
    for at_ns in sorted(own.sample(range(0, 90 * S, S), own.randrange(2, 7))):
        seen: dict[str, Any] = {"broker": 1, "leader": some(own, *[1] * 9, 2), "quiet": False}
        epochs = {"leader_epoch": some(own, *[0] * 9, 1), "topic_id": some(own, *[None] * 9, "x")}
        ends = {"last_stable_offset": some(own, *[1] * 6, 2, None), "high_watermark": 2}
        drawn = {**look(own, at_ns + own.randrange(2))[1], **there}
        rows.append(("replica_states", {**drawn, **seen, **epochs, **ends}))
    return rows


def healed_ns(chance: random.Random) -> object:
    own = random.Random(repr(chance.getstate()) + "healed")
    return some(own, 0, 0, 0, -5, 9 * S, 60 * S, 1 << 63, "soon", True)
