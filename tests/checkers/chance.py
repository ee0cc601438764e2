"""Histories of chance: single rows, and stories of several that seldom end as they should."""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.chance_groups import again, left, overshot, shared, still
from tests.checkers.chance_replicas import in_and_out
from tests.checkers.chance_rows import (
    alive,
    assigned,
    client_row,
    commit,
    contracted,
    entry,
    fetch,
    log_end,
    look,
    processed,
    reading,
    send,
    share,
    some,
    stored,
)
from tests.checkers.chance_transactions import (
    circling,
    deciding,
    disturbed_ns,
    hanging,
    healed_ns,
)
from tests.checkers.conftest import Row


def _own(chance: random.Random) -> list[Row]:
    """A client that is handed its own record, before or after it heard of it."""
    (_, sent), (_, read), (_, client) = send(chance), reading(chance), client_row("p", chance)
    sent = {**sent, "client": "p", "value": 6, "outcome": some(chance, "ok", "failed")}
    read = {**read, "client": "p", "action": "poll", "outcome": "ok", "value": 6}
    return [
        ("history", {**sent, "invoked_ns": 0, "completed_ns": 9}),
        ("history", {**read, "invoked_ns": 1, "completed_ns": chance.randrange(1, 16)}),
        ("clients", {**client, "transactional_id": some(chance, None, "tx", "tx")}),
    ]


def _waiting(chance: random.Random) -> list[Row]:
    """Sends that wait for long, and one that may be acknowledged meanwhile."""
    (_, first), (_, second), (_, third) = send(chance), send(chance), send(chance)
    seconds = [
        (0, chance.choice([29, 31, 40])),
        (chance.choice([1, 28, 35]), 62),
        (chance.randrange(62), None),
    ]
    ends = [{"invoked_ns": since * 10**9, "completed_ns": (until or since) * 10**9}
            for since, until in seconds]  # fmt: skip
    rows = zip((first, second, third), ends, strict=True)
    return [("history", {**row, "topic": "b", "partition": 7, **times}) for row, times in rows]


def _left_open(chance: random.Random) -> list[Row]:
    """Sends that nobody knows the end of, whose clients may have been heard of later."""
    clients = [some(chance, "p", "q", "q", "r") for _ in range(4)]
    sent = [(name, "invoked", chance.choice([1, 5, 30])) for name in clients[:2]]
    sent += [(name, some(chance, "ok", "failed", "invoked"), chance.choice([33, 50, 70]))
             for name in clients[2:]]  # fmt: skip
    sent += [("s", "ok", 0)] * (chance.random() < 0.8)
    rows = []
    for name, outcome, second in sent:
        (_, row), at_ns = send(chance), second * 10**9
        at = {"invoked_ns": at_ns, "completed_ns": None if outcome == "invoked" else at_ns}
        place = {"topic": "b", "partition": chance.choice([8, 8, 9]) if second > 30 else 8}
        rows.append(("history", {**row, **at, **place, "client": name, "outcome": outcome}))
    return rows


def _late(chance: random.Random) -> list[Row]:
    """A send, a reader that gets to an end, and one that sees the record: rarely in this order."""
    (_, sent), (_, ended), (_, seen) = send(chance), reading(chance), reading(chance)
    same = {"topic": "a", "partition": 0, "outcome": "ok"}
    times = [{"invoked_ns": at, "completed_ns": at + 1} for at in chance.choices(range(8), k=3)]
    return [
        ("history", {**sent, **same, "acks": "all", "offset": 3, **times[0]}),
        ("history", {**ended, **same, "action": "end", "value": None, **times[1]}),
        ("history", {**seen, **same, "action": "poll", "value": sent["value"], **times[2]}),
    ]


def _told_twice(chance: random.Random) -> list[Row]:
    """A send that was open when it was first told of, and mostly is no more."""
    (_, sent), op = send(chance), 1000 + chance.randrange(3)
    ended = {**sent, "op": op, "outcome": some(chance, "ok", "failed", "unknown")}
    open_yet = {**ended, "outcome": "invoked", "completed_ns": None, "offset": None}
    changed = some(chance, {}, {}, {"op": op + 1}, {"client": "s"}, {"value": None})
    return [("history", open_yet), ("history", {**ended, **changed})]


def _passed(chance: random.Random) -> list[Row]:
    """A record on every replica, and a reader that gets beyond it: seldom otherwise."""
    (_, sent), (_, ended) = send(chance), reading(chance)
    same = {"topic": "a", "partition": 0, "outcome": "ok"}
    kept = {**stored(chance)[1], "topic": "a", "partition": 0, "offset": 1, "problem": None}
    return [
        ("history", {**sent, **same, "acks": "all", "offset": 1, "value": 17}),
        ("history", {**ended, **same, "action": "end", "value": None, "offset": 2}),
        *(("replica_logs", {**kept, "value": 17, "broker": broker}) for broker in (1, 2, 3)),
    ]


def _missed(chance: random.Random) -> list[Row]:
    """A record that the leader's log has and readers passed without it: seldom otherwise."""
    there, seldom = {"topic": "c", "partition": 0}, chance.random() < 0.3
    (_, sent), (_, read), (_, kept) = send(chance), reading(chance), stored(chance)
    sent = {**sent, **there, "outcome": "ok", "acks": "all", "offset": 1, "value": 21}
    read = {**read, **there, "action": "poll", "outcome": "ok", "client": "r", "completed_ns": 25}
    ends = {**log_end(chance, 1)[1], **there, "is_leader": True}
    kept = {**kept, **there, "broker": 1, "is_control": False, "problem": None}
    if not seldom:
        sent |= {"invoked_ns": 0, "completed_ns": 1}
        ends |= {"log_start_offset": 0, "settled": True}
    polls = [
        {**read, "offset": offset, "value": 20 + offset, "invoked_ns": 20} for offset in (0, 2)
    ]
    return [
        ("history", sent),
        *(("history", row) for row in polls),
        *(("replica_logs", {**kept, "offset": at, "value": 20 + at}) for at in range(3)),
        ("replica_ends", ends),
    ]


def _torn(chance: random.Random) -> list[Row]:
    """Two transactions of which readers were handed some: seldom otherwise."""
    there, rows = {"topic": "f", "partition": 0}, list[Row]()
    for at in range(4):
        (_, sent), (_, read) = send(chance), reading(chance)
        told = some(chance, {"outcome": "ok"}, {"outcome": "ok", "acks": "all"}, {})
        own = {"client": "t", "value": 40 + at, "transaction": some(chance, 1, 1, 1, 2, None)}
        rows.append(("history", {**sent, **there, **own, **told, "offset": some(chance, at, None)}))
        seen = {**read, **there, "action": "poll", "offset": at, "value": 40 + at}
        if chance.random() < 0.5:
            rows.append(("history", {**seen, "outcome": "ok"}))
    (_, ended), (_, kept), (_, ends) = reading(chance), stored(chance), log_end(chance, 1)
    if chance.random() < 0.6:
        end = {"action": "end", "outcome": "ok", "offset": some(chance, 3, 4, 4), "value": None}
        rows.append(("history", {**ended, **there, **end}))
    if chance.random() < 0.6:
        for at in range(4):
            if chance.random() < 0.8:
                log = {"offset": at, "value": 40 + at, "broker": 1, "is_control": False}
                rows.append(("replica_logs", {**kept, **there, **log}))
        lead = {"is_leader": True, "log_end_offset": 4}
        rows.append(("replica_ends", {**ends, **there, **lead}))
    return rows


def _piped(chance: random.Random) -> list[Row]:
    """A pipeline makes one record of each of three that it was handed: seldom all of them."""
    rows, seldom = list[Row](), chance.random() < 0.5
    for at in range(3):
        (_, read), (_, sent), (_, source) = reading(chance), send(chance), send(chance)
        seen = {"action": "poll", "outcome": "ok", "client": some(chance, "r", "r", "s")}
        given = {"topic": "h", "partition": 0, "offset": some(chance, at, at, at, 0)}
        rows.append(("history", {**read, **seen, **given, "value": 50 + at}))
        if seldom:
            rows.append(("history", {**source, **given, "value": some(chance, 50, 51)}))
        where = {"topic": "i", "partition": 0, "offset": some(chance, at, at, None)}
        told = {} if seldom else {"outcome": some(chance, "ok", "ok", "failed", "invoked")}
        made = {"client": "w", "made_of": some(chance, 50, 50, 51, 52, 53, None)}
        value = 60 + (at if chance.random() < 0.9 else 0)
        rows.append(("history", {**sent, **told, **where, **made, "value": value}))
        if chance.random() < 0.6:
            rows.append(("history", {**read, **seen, **where, "value": value}))
        if seldom and chance.random() < 0.5:
            log = {
                "broker": 1,
                "is_control": False,
                "offset": at,
                "value": some(chance, 60 + at, 9),
            }
            rows.append(("replica_logs", {**stored(chance)[1], **where, **log}))
    if seldom:
        there = {"topic": some(chance, "h", "i"), "partition": 0, "is_leader": True}
        rows.append(("replica_ends", {**log_end(chance, 1)[1], **there}))
        rows.append(("commits", {**commit(chance)[1], "topic": "h", "partition": 0, "group": "g"}))
    beyond = {"topic": "i", "partition": 0, "outcome": "ok", "action": "end", "offset": 4}
    rows.append(("history", {**reading(chance)[1], **beyond, "value": None, "client": "r"}))
    mine = {"topic": "h", "partition": 0, "group": "g", "outcome": "ok", "offset": 3}
    rows.append(("commits", {**commit(chance)[1], **mine}))
    rows.append(processed(chance))
    hand = {"role": "producer", "group_id": "g"}
    return [*rows, ("clients", {**client_row("w", chance)[1], **hand})]


def _shares(chance: random.Random) -> list[Row]:
    """By a chance of its own, so that all other rows are what they are without these."""
    own = random.Random(repr(chance.getstate()))
    same = {"topic": "a", "partition": 0, "group": "g", "outcome": "ok"}
    there = same if own.random() < 0.7 else {}
    drawn = [share(own)[1] for _ in range(own.choice([0, 2, 4, 6]))]
    return [("shares", {**row, **there}) for row in drawn]


Words = list[str | None]


def _contracts(chance: random.Random) -> list[Row]:
    """By a chance of its own as well: what an application made of three inputs, or so."""
    own = random.Random(f"contracts {chance.getstate()}")
    if own.random() < 0.4:
        return []
    each: Words = own.choice([["exactly"], ["at least"], ["at most"], ["exactly", None]])
    keeps: Words = own.choice([[None], ["key"], ["key,order"], ["order", "key,order"]])
    inputs = [contracted(own, "input", each, keeps) for _ in range(own.choice([0, 2, 3, 3]))]
    outputs = [contracted(own, "output", [None], [None]) for _ in range(own.choice([0, 2, 3, 3]))]
    ends = [contracted(own, what, [None], [None]) for what in ("inputs-end", "outputs-end")]
    told = [contracted(own, "position", [None], [None])]
    return [*inputs, *outputs, *(ends if own.random() < 0.8 else ends[:1]), *told]


def _lagging(chance: random.Random) -> list[Row]:
    """A look at a follower two minutes after one at its leader, or so."""
    (_, leader), (_, follower) = look(chance, 2000), look(chance, 0)
    same = {"topic": "a", "partition": 0, "leader": 1, "leader_epoch": 0, "log_end_offset": 3}
    later = {"at_ns": 120 * 10**9 + chance.choice([1999, 2000, 2001, 2002]), "broker": 2}
    behind = {"log_end_offset": chance.choice([2, 3, 4])}
    return [
        ("replica_states", {**leader, **same, "broker": 1}),
        ("replica_states", {**follower, **same, **later, **behind}),
    ]


def identity(chance: random.Random) -> dict[str, Any]:
    """What run.json says, where it says anything."""
    begins = some(chance, "earliest", "latest", "none", None)
    session = some(chance, "6000", "6000", " 45000 ", "-1", "soon", None)
    told = {"auto.offset.reset": begins, "session.timeout.ms": session}
    since_ns, most_ns = some(chance, 0, 5, 10**9), 10**9
    until_ns = some(chance, 3, 20 * most_ns, 40 * most_ns, 80 * most_ns, None)
    topics = some(chance, ["a", "b", "j"], ["a", "b", "j"], ["j"], "j")
    steady = {"g": {"since_ns": since_ns, "until_ns": until_ns, "topics": topics}}
    healed = {"healed_ns": healed_ns(chance), "disturbed_ns": disturbed_ns(chance)}
    return {"groups": {"g": told, "k": told}, "steady": steady, **healed}


def history(chance: random.Random) -> list[Row]:
    """Anything at all: most of it could not happen, and all of it can be judged."""
    moments = iter(chance.sample(range(1000), 60))
    own = _own(chance) if chance.random() < 0.2 else []
    names = "qrs" if own else "pqrs"
    return [
        *(send(chance) for _ in range(chance.randrange(8))),
        *(reading(chance) for _ in range(chance.randrange(10))),
        *own,
        *(_late(chance) if chance.random() < 0.6 else []),
        *(_told_twice(chance) if chance.random() < 0.3 else []),
        *(_passed(chance) if chance.random() < 0.2 else []),
        *(_missed(chance) if chance.random() < 0.1 else []),
        *(left(chance) if chance.random() < 0.1 else []),
        *(again(chance) if chance.random() < 0.2 else []),
        *(still(chance) if chance.random() < 0.5 else []),
        *(shared(chance) if chance.random() < 0.5 else []),
        *(_waiting(chance) if chance.random() < 0.1 else []),
        *(_left_open(chance) if chance.random() < 0.1 else []),
        *(client_row(name, chance) for name in names if chance.random() < 0.4),
        *(stored(chance) for _ in range(chance.choice([0, 0, 4, 12]))),
        *(log_end(chance, broker) for broker in range(1, chance.choice([1, 4]))),
        *(entry(chance) for _ in range(chance.choice([0, 4, 12]))),
        *(look(chance, next(moments)) for _ in range(chance.randrange(20))),
        *(_lagging(chance) if chance.random() < 0.8 else []),
        *(fetch(chance, next(moments)) for _ in range(chance.randrange(12))),
        *(alive(chance, next(moments) % 20) for _ in range(chance.randrange(6))),
        *(commit(chance) for _ in range(chance.choice([0, 0, 6]))),
        *(processed(chance) for _ in range(chance.choice([0, 4]))),
        *(_torn(chance) if chance.random() < 0.4 else []),
        *(assigned(chance) for _ in range(chance.choice([0, 0, 6]))),
        *(_piped(chance) if chance.random() < 0.3 else []),
        *_shares(chance),
        *_contracts(chance),
        *hanging(chance),
        *deciding(chance),
        *circling(chance),
        *overshot(chance),
        *in_and_out(chance),
    ]
