"""Rows of chance."""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.conftest import Row


def _some(chance: random.Random, *values: Any) -> Any:
    return chance.choice(values)


def _place(chance: random.Random) -> dict[str, Any]:
    return {"topic": _some(chance, "a", "a", "a", "b"), "partition": _some(chance, 0, 0, 1)}


def send(chance: random.Random) -> Row:
    value, invoked = chance.randrange(6), chance.randrange(8)
    return "history", {
        **_place(chance),
        "client": _some(chance, "p", "q"),
        "action": "send",
        "outcome": _some(chance, "ok", "ok", "ok", "failed", "unknown", "invoked"),
        "offset": _some(chance, None, -1, *range(5)),
        "value": value,
        "checksum": _some(chance, value, value, value + 1),
        "acks": _some(chance, "all", "all", "1", "0"),
        "invoked_ns": invoked,
        "completed_ns": _some(chance, None, *[invoked, invoked + 1, invoked + 3] * 3, invoked - 1),
    }


def _client(name: str, chance: random.Random) -> Row:
    return "clients", {
        "client": name,
        "role": _some(chance, "producer", "producer", "consumer"),
        "idempotence": _some(chance, True, True, False, None),
        "transactional_id": _some(chance, None, "tx", "tx"),
        "isolation": _some(chance, None, "read_committed", "read_uncommitted"),
        "begins_at": _some(chance, None, "earliest", "latest"),
    }


def _own(chance: random.Random) -> list[Row]:
    """A client that is handed its own record, before or after it heard of it."""
    (_, sent), (_, read), (_, client) = send(chance), _read(chance), _client("p", chance)
    sent = {**sent, "client": "p", "value": 6, "outcome": _some(chance, "ok", "failed")}
    read = {**read, "client": "p", "action": "poll", "outcome": "ok", "value": 6}
    return [
        ("history", {**sent, "invoked_ns": 0, "completed_ns": 9}),
        ("history", {**read, "invoked_ns": 1, "completed_ns": chance.randrange(1, 16)}),
        ("clients", {**client, "transactional_id": _some(chance, None, "tx", "tx")}),
    ]


def _read(chance: random.Random) -> Row:
    value, invoked = chance.randrange(7), chance.randrange(16)
    action = _some(chance, "poll", "poll", "poll", "end", "stall")
    is_poll = action == "poll"
    return "history", {
        **_place(chance),
        "client": _some(chance, "r", "s", "r", "s", "p"),
        "action": action,
        "outcome": _some(chance, "ok", "ok", "ok", "failed"),
        "offset": chance.randrange(6),
        "value": _some(chance, value, value, value, None) if is_poll else None,
        "checksum": _some(chance, value, None) if is_poll else None,
        "invoked_ns": invoked,
        "completed_ns": invoked + _some(chance, *[0, 1, 2] * 4, -1),
    }


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


def _late(chance: random.Random) -> list[Row]:
    """A send, a reader that gets to an end, and one that sees the record: rarely in this order."""
    (_, sent), (_, ended), (_, seen) = send(chance), _read(chance), _read(chance)
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
    ended = {**sent, "op": op, "outcome": _some(chance, "ok", "failed", "unknown")}
    open_yet = {**ended, "outcome": "invoked", "completed_ns": None, "offset": None}
    changed = _some(chance, {}, {}, {"op": op + 1}, {"client": "s"}, {"value": None})
    return [("history", open_yet), ("history", {**ended, **changed})]


def _passed(chance: random.Random) -> list[Row]:
    """A record on every replica, and a reader that gets beyond it: seldom otherwise."""
    (_, sent), (_, ended) = send(chance), _read(chance)
    same = {"topic": "a", "partition": 0, "outcome": "ok"}
    kept = {**_stored(chance)[1], "topic": "a", "partition": 0, "offset": 1, "problem": None}
    return [
        ("history", {**sent, **same, "acks": "all", "offset": 1, "value": 17}),
        ("history", {**ended, **same, "action": "end", "value": None, "offset": 2}),
        *(("replica_logs", {**kept, "value": 17, "broker": broker}) for broker in (1, 2, 3)),
    ]


def _stored(chance: random.Random) -> Row:
    is_control, value = chance.random() < 0.1, chance.randrange(6)
    offset = chance.randrange(5)
    return "replica_logs", {
        **_place(chance),
        "broker": _some(chance, 1, 2, 3),
        "offset": offset,
        "leader_epoch": _some(chance, None, -1, 0, 1),
        "value": None if is_control else _some(chance, value, value, None),
        "checksum": None if is_control else _some(chance, value, None),
        "digest": _some(chance, value, value, None),
        "is_control": is_control,
        "magic": 2,
        "segment": _some(chance, "0.log", "1.log"),
        "position": chance.randrange(5),
        "problem": _some(chance, *[None] * 9, "CRC"),
    }


def _end(chance: random.Random, broker: int) -> Row:
    return "replica_ends", {
        "topic": "a",
        "partition": _some(chance, 0, 0, 1),
        "broker": broker,
        "log_start_offset": _some(chance, None, 0, 0, 2),
        "log_end_offset": _some(chance, None, 3, 5, 5),
        "high_watermark": _some(chance, None, 3, 5, 5),
        "is_leader": _some(chance, True, False),
        "in_isr": _some(chance, True, True, False),
        "leader_epoch": _some(chance, None, 0, 1),
        "settled": _some(chance, True, True, True, False),
    }


def _entry(chance: random.Random) -> Row:
    return "epoch_checkpoints", {
        **_place(chance),
        "broker": _some(chance, 1, 2, 3),
        "leader_epoch": _some(chance, 0, 0, 1),
        "start_offset": chance.randrange(5),
    }


def _look(chance: random.Random, at_ns: int) -> Row:
    return "replica_states", {
        **_place(chance),
        "at_ns": at_ns,
        "broker": _some(chance, 1, 2),
        "log_end_offset": _some(chance, None, *range(5)),
        "high_watermark": _some(chance, None, *range(5)),
        "leader": _some(chance, None, -1, 1, 1, 1, 2, 2),
        "leader_epoch": _some(chance, None, 0, 0, 0, 1),
        "isr": _some(chance, None, "1,2", "1,2", "1", "2"),
        "quiet": _some(chance, None, True, False),
    }


def _lagging(chance: random.Random) -> list[Row]:
    """A look at a follower two minutes after one at its leader, or so."""
    (_, leader), (_, follower) = _look(chance, 2000), _look(chance, 0)
    same = {"topic": "a", "partition": 0, "leader": 1, "leader_epoch": 0, "log_end_offset": 3}
    later = {"at_ns": 120 * 10**9 + chance.choice([1999, 2000, 2001, 2002]), "broker": 2}
    behind = {"log_end_offset": chance.choice([2, 3, 4])}
    return [
        ("replica_states", {**leader, **same, "broker": 1}),
        ("replica_states", {**follower, **same, **later, **behind}),
    ]


def _fetch(chance: random.Random, at_ns: int) -> Row:
    leader = _some(chance, 1, 2)
    stage = _some(chance, "request", "response")
    return "fetches", {
        **_place(chance),
        "at_ns": at_ns,
        "stage": stage,
        "leader": leader,
        "follower": 3 - leader,
        "fetch_offset": chance.randrange(5),
        "high_watermark": chance.randrange(5) if stage == "response" else None,
        "record_bytes": 0,
    }


def _alive(chance: random.Random, second: int) -> Row:
    return "liveness", {
        "at_ns": second * 10**9,
        "broker": _some(chance, 1, 2),
        "running": chance.random() < 0.9,
        "registered": chance.random() < 0.9,
        "answers": chance.random() < 0.2,
    }


def _commit(chance: random.Random) -> Row:
    invoked_ns = chance.randrange(10)
    ended = chance.choice([None, *range(10)])
    return "commits", {
        **_place(chance),
        "group": _some(chance, "g", "h"),
        "client": _some(chance, "p", "q"),
        "offset": chance.randrange(-1, 5),
        "outcome": chance.choice(["ok", "ok", "ok", "failed", "unknown", "invoked"]),
        "invoked_ns": invoked_ns,
        "completed_ns": None if ended is None else invoked_ns + ended - 1,
        "error": None,
    }


def _processed(chance: random.Random) -> Row:
    first = chance.randrange(-1, 5)
    return "processed", {
        **_place(chance),
        "group": _some(chance, "g", "h"),
        "client": _some(chance, "p", "q"),
        "first_offset": first,
        "end_offset": first + chance.randrange(3),
        "completed_ns": chance.randrange(10),
    }


def history(chance: random.Random) -> list[Row]:
    """Anything at all: most of it could not happen, and all of it can be judged."""
    moments = iter(chance.sample(range(1000), 60))
    own = _own(chance) if chance.random() < 0.2 else []
    names = "qrs" if own else "pqrs"
    return [
        *(send(chance) for _ in range(chance.randrange(8))),
        *(_read(chance) for _ in range(chance.randrange(10))),
        *own,
        *(_late(chance) if chance.random() < 0.6 else []),
        *(_told_twice(chance) if chance.random() < 0.3 else []),
        *(_passed(chance) if chance.random() < 0.2 else []),
        *(_waiting(chance) if chance.random() < 0.1 else []),
        *(_client(name, chance) for name in names if chance.random() < 0.4),
        *(_stored(chance) for _ in range(chance.choice([0, 0, 4, 12]))),
        *(_end(chance, broker) for broker in range(1, chance.choice([1, 4]))),
        *(_entry(chance) for _ in range(chance.choice([0, 4, 12]))),
        *(_look(chance, next(moments)) for _ in range(chance.randrange(20))),
        *(_lagging(chance) if chance.random() < 0.4 else []),
        *(_fetch(chance, next(moments)) for _ in range(chance.randrange(12))),
        *(_alive(chance, next(moments) % 20) for _ in range(chance.randrange(6))),
        *(_commit(chance) for _ in range(chance.choice([0, 0, 6]))),
        *(_processed(chance) for _ in range(chance.choice([0, 4]))),
    ]
