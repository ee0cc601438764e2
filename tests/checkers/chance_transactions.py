"""Stories of transactions of chance, that seldom end as they should.

Each has a chance of its own, so that all other rows are what they are without these.
"""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.chance_rows import client_row, coordinated, look, reading, send, some
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


def deciding(chance: random.Random) -> list[Row]:
    """What coordinators say of transactions, which stay decided: seldom for long enough; and what
    clients say of flushes.
    """
    own = random.Random(repr(chance.getstate()) + "deciding")
    if own.random() < 0.6:
        return _flushing(chance)
    moments = own.choices(range(0, 120 * S, S), k=own.randrange(2, 7))
    coordinators = [coordinated(own, at_ns + own.randrange(2)) for at_ns in moments]
    return [*coordinators, *_flushing(chance)]


def _flushing(chance: random.Random) -> list[Row]:
    """That clients said that they have flushed: seldom as late as they should."""
    own = random.Random(repr(chance.getstate()) + "flushing")
    rows = list[Row]()
    for _ in range(some(own, 0, 0, 1, 2, 4)):
        asked_ns = own.randrange(-1, 11)
        told = {"asked_ns": asked_ns, "flushed_ns": asked_ns + own.randrange(-1, 6)}
        who = {"client": some(own, "p", "p", "q", "s"), "error": some(own, *[None] * 4, "Timeout")}
        rows.append(("flushes", {**who, **told}))
    return rows


def healed_ns(chance: random.Random) -> object:
    own = random.Random(repr(chance.getstate()) + "healed")
    return some(own, 0, 0, 0, -5, 9 * S, 60 * S, 1 << 63, "soon", True)


def disturbed_ns(chance: random.Random) -> object:
    own = random.Random(repr(chance.getstate()) + "disturbed")
    return some(own, [], [2, 5, 9 * S], [7, 3], ["soon", True, 4, 1 << 63], "soon", None)


def circling(chance: random.Random) -> list[Row]:
    """Transactions of three clients that are handed one another's records: seldom in a circle."""
    own = random.Random(repr(chance.getstate()) + "circling")
    if own.random() < 0.7:
        return []
    rows = list[Row]()
    for name in "ijk"[: some(own, 2, 2, 3)]:
        for client, role in ((name, "consumer"), (f"{name}#", "producer")):
            named = {"client_id": some(own, *[name] * 9, "i", None), "group_id": None}
            if own.random() < 0.95:
                row = {**client_row(client, own)[1], "role": role, **named, "isolation": None}
                rows.append(("clients", {**row, "transactional_id": some(own, *["tx"] * 9, None)}))
        there = {"topic": "n", "partition": some(own, 0, 1)}
        for at in range(own.randrange(1, 4)):
            value = some(own, *range(110, 114))
            told = {"outcome": some(own, *["ok"] * 6, "failed", "unknown", "invoked")}
            kept = {"acks": "all", "offset": at, "transaction": some(own, 1, 1, 2, None)}
            sent = {**send(own)[1], **there, **told, **kept}
            if own.random() < 0.5:
                value = 100 + 3 * "ijk".index(name) + at
            rows.append(("history", {**sent, "client": f"{name}#", "value": value}))
    written = [row for table, row in rows if table == "history"]
    for row in written * 2:
        reader = some(own, "i", "j", "k", "i#")
        seen = {**reading(own)[1], "action": "poll", "outcome": "ok", "client": reader}
        same = {name: row[name] for name in ("topic", "partition", "offset", "value")}
        rows.append(("history", {**seen, **same, "transaction": some(own, 1, 1, 1, 2, None)}))
    return rows
