"""Stories of groups of chance, that seldom end as they should."""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.chance_rows import (
    assigned,
    client_row,
    commit,
    log_end,
    processed,
    reading,
    send,
    some,
    stored,
)
from tests.checkers.conftest import Row


def left(chance: random.Random) -> list[Row]:
    """Of three records that readers were handed a group processed two: seldom otherwise."""
    there, seldom = {"topic": "d", "partition": 0}, chance.random() < 0.3
    (_, read), (_, committed), (_, done) = reading(chance), commit(chance), processed(chance)
    read = {**read, **there, "action": "poll", "outcome": "ok", "client": "r"}
    committed = {**committed, **there, "group": "k"}
    others = [commit(chance)[1] for _ in range(2)] if seldom else []
    done = {**done, **there, "group": "k"}
    spans = [done] if seldom else [{**done, "first_offset": at, "end_offset": at + 1}
                                   for at in (0, 2)]  # fmt: skip
    return [
        *(("history", {**read, "offset": at, "value": 30 + at}) for at in range(3)),
        *(("processed", row) for row in spans),
        ("commits", {**committed, "outcome": "ok", "offset": 3}),
        *(("commits", {**row, **there, "group": "k"}) for row in others),
    ]


def again(chance: random.Random) -> list[Row]:
    """A group is handed a record twice or thrice, and commits in between: seldom otherwise."""
    there, seldom, rows = {"topic": "e", "partition": 0}, chance.random() < 0.5, list[Row]()
    for number, name in enumerate(("m", "n", "o")[: some(chance, 2, 2, 3)]):
        (_, read), (_, client) = reading(chance), client_row(name, chance)
        seen = {"action": "poll", "outcome": "ok", "value": some(chance, 7, 7, 7, None)}
        where = {**there, "client": name, "offset": some(chance, 2, 2, 2, 1)}
        began: dict[str, Any] = {"role": "consumer", "group_id": "g"}
        if not seldom:
            seen |= {"invoked_ns": 20 * number, "completed_ns": 20 * number + 1}
            began |= {"began_ns": 20 * number}
        rows.append(("history", {**read, **where, **seen}))
        rows.append(("clients", {**client, **began}))
    for number in range(some(chance, 1, 2, 3)):
        (_, row) = commit(chance)
        sure = {"outcome": "ok", "offset": 3, "completed_ns": row["invoked_ns"] + 1}
        told = {} if seldom or number else sure
        rows.append(("commits", {**row, **there, "group": "g", **told}))
    return rows


def still(chance: random.Random) -> list[Row]:
    """Of three records a member was handed the first, and others all: seldom otherwise."""
    there, seldom, rows = {"topic": "j", "partition": 0}, chance.random() < 0.5, list[Row]()
    tell = {"x": {"role": "producer"}, "y": {"role": "consumer"}, "z": {"role": "consumer"}}
    tell["z"] |= {"group_id": some(chance, "g", "g", "k")}
    for name, own in tell.items():
        if not seldom or chance.random() < 0.8:
            sure = {} if seldom else {"transactional_id": None, "isolation": None}
            rows.append(
                ("clients", {**client_row(name, chance)[1], "group_id": None, **sure, **own})
            )
    for at in range(3):
        (_, sent), (_, read) = send(chance), reading(chance)
        told = {} if seldom else {"outcome": "ok", "acks": "all"}
        value = {"value": 70 + at, "offset": at}
        rows.append(("history", {**sent, **there, **value, "client": "x", **told}))
        at_ns = some(chance, 3, 10**9, 90 * 10**9)
        seen = {"action": "poll", "outcome": "ok", "invoked_ns": at_ns, "completed_ns": at_ns}
        for client in ("y", "z") if at == 0 or (seldom and chance.random() < 0.3) else ("y",):
            placed = some(chance, value, value, value, {**value, "offset": None})
            rows.append(("history", {**read, **there, **seen, **placed, "client": client}))
    if seldom:
        rows.append(("commits", {**commit(chance)[1], **there, "group": "g"}))
    held = {"group": some(chance, "g", "g", "h"), "client": "z", "what": "assigned"}
    return [*rows, ("assignments", {**assigned(chance)[1], **there, **held})]


def shared(chance: random.Random) -> list[Row]:
    """Two or three members are given one partition and work on it: seldom one after the other."""
    there, rows = {"topic": "f", "partition": 0, "group": "g"}, list[Row]()
    for client in ("m", "n", "o")[: some(chance, 2, 2, 3)]:
        since = chance.randrange(10)
        moments = [(since, "assigned")] * (chance.random() < 0.9)
        if chance.random() < 0.7:
            moments.append((since + chance.randrange(10), some(chance, "revoked", "lost")))
        for at_ns, what in moments:
            told = {**there, "client": client, "what": what, "at_ns": at_ns}
            rows.append(("assignments", {**assigned(chance)[1], **told}))
        for _ in range(chance.randrange(4)):
            done = {**there, "client": client, "completed_ns": since + chance.randrange(12)}
            rows.append(("processed", {**processed(chance)[1], **done}))
    return rows


def overshot(chance: random.Random) -> list[Row]:
    """Groups commit near the end of a log, by a chance of its own: seldom within it."""
    own = random.Random(repr(chance.getstate()) + "overshot")
    if own.random() < 0.5:
        return []
    there = {"topic": "o", "partition": 0}
    rows = [row for client in ("v1", "v2")[: some(own, 1, 1, 2)] for row in _sent(own, client)]
    if own.random() < 0.2:
        rows.append(reading(own))
    if own.random() < 0.2:
        rows.append(("replica_logs", {**stored(own)[1], "offset": some(own, 3, 6, 9)}))
    for broker in (1, 2)[: some(own, 0, 1, 2, 2)]:
        settled = {"is_leader": broker == 1, "settled": own.random() < 0.9}
        rows.append(("replica_ends", {**log_end(own, broker)[1], **settled}))
    for group in ("g", "h")[: some(own, 1, 2)]:
        positions = own.sample((0, 3, 5, 6, 7, 9, 30), 2)
        rows += [("commits", {**commit(own)[1], "group": group, "offset": at}) for at in positions]
        done = {"first_offset": 0, "end_offset": some(own, 0, 0, 4, 9), "group": group}
        rows.append(("processed", {**processed(own)[1], **done}))
    return [(table, {**row, **there} if table != "clients" else row) for table, row in rows]


def _sent(own: random.Random, client: str) -> list[Row]:
    promised = {"transactional_id": some(own, *[None] * 4, "tx"), "role": "producer"}
    rows = [("clients", {**client_row(client, own)[1], **promised})] * (own.random() < 0.9)
    for at in range(own.randrange(4)):
        told = {"outcome": some(own, *["ok"] * 8, "failed", "unknown", "invoked")}
        stands = {"offset": some(own, *[at] * 8, None, -1, 7), "value": 120 + at}
        rows.append(("history", {**send(own)[1], **told, **stands, "client": client}))
    return rows
