"""Single rows of chance."""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.conftest import Row


def some(chance: random.Random, *values: Any) -> Any:
    return chance.choice(values)


def place(chance: random.Random) -> dict[str, Any]:
    return {"topic": some(chance, "a", "a", "a", "b"), "partition": some(chance, 0, 0, 1)}


def send(chance: random.Random) -> Row:
    value, invoked = chance.randrange(6), chance.randrange(8)
    return "history", {
        **place(chance),
        "client": some(chance, "p", "q"),
        "action": "send",
        "outcome": some(chance, "ok", "ok", "ok", "failed", "unknown", "invoked"),
        "offset": some(chance, None, -1, *range(5)),
        "value": value,
        "checksum": some(chance, value, value, value + 1),
        "key": some(chance, *[value % 2] * 8, None, -1),
        "acks": some(chance, "all", "all", "1", "0"),
        "error": _error(chance),
        "invoked_ns": invoked,
        "completed_ns": some(chance, None, *[invoked, invoked + 1, invoked + 3] * 3, invoked - 1),
    }


def _error(chance: random.Random) -> str | None:
    """It leaves all that comes of `chance` as it was."""
    own = random.Random(repr(chance.getstate()) + "error")
    told: str | None = some(own, None, None, "MSG_SIZE_TOO_LARGE", "_TIMED_OUT")
    return told


def client_row(name: str, chance: random.Random) -> Row:
    return "clients", {
        "client": name,
        "role": some(chance, "producer", "producer", "consumer"),
        "idempotence": some(chance, True, True, False, None),
        "transactional_id": some(chance, None, "tx", "tx"),
        "isolation": some(chance, None, "read_committed", "read_uncommitted"),
        "begins_at": some(chance, None, "earliest", "latest"),
        "group_id": some(chance, None, "g", "g", "h"),
        "began_ns": some(chance, None, *range(16)),
        "keeps_order": some(chance, True, True, False, None),
        "linger_ms": some(chance, None, None, 0, -7, 900, 15_000, 2**62),
        "ended_ns": some(chance, None, None, *(each * 10**9 for each in (0, 20, 45, 62, 90))),
    }


def reading(chance: random.Random) -> Row:
    value, invoked = chance.randrange(7), chance.randrange(16)
    action = some(chance, "poll", "poll", "poll", "end", "stall")
    is_poll = action == "poll"
    return "history", {
        **place(chance),
        "client": some(chance, "r", "s", "r", "s", "p"),
        "action": action,
        "outcome": some(chance, "ok", "ok", "ok", "failed"),
        "offset": chance.randrange(6),
        "value": some(chance, value, value, value, None) if is_poll else None,
        "checksum": some(chance, value, None) if is_poll else None,
        "key": some(chance, *[value % 2] * 8, None, -1) if is_poll else None,
        "invoked_ns": invoked,
        "completed_ns": invoked + some(chance, *[0, 1, 2] * 4, -1),
    }


def stored(chance: random.Random) -> Row:
    is_control, value = chance.random() < 0.1, chance.randrange(6)
    offset = chance.randrange(5)
    return "replica_logs", {
        **place(chance),
        "broker": some(chance, 1, 2, 3),
        "offset": offset,
        "leader_epoch": some(chance, None, -1, 0, 1),
        "value": None if is_control else some(chance, value, value, None),
        "checksum": None if is_control else some(chance, value, None),
        "digest": some(chance, value, value, None),
        "is_control": is_control,
        "magic": 2,
        "segment": some(chance, "0.log", "1.log"),
        "position": chance.randrange(5),
        "problem": some(chance, *[None] * 9, "CRC"),
        "key": None if is_control else some(chance, *[value % 2] * 8, None, -1),
    }


def log_end(chance: random.Random, broker: int) -> Row:
    return "replica_ends", {
        "topic": "a",
        "partition": some(chance, 0, 0, 1),
        "broker": broker,
        "log_start_offset": some(chance, None, 0, 0, 2),
        "log_end_offset": some(chance, None, 3, 5, 5),
        "high_watermark": some(chance, None, 3, 5, 5),
        "is_leader": some(chance, True, False),
        "in_isr": some(chance, True, True, False),
        "leader_epoch": some(chance, None, 0, 1),
        "settled": some(chance, True, True, True, False),
    }


def entry(chance: random.Random) -> Row:
    return "epoch_checkpoints", {
        **place(chance),
        "broker": some(chance, 1, 2, 3),
        "leader_epoch": some(chance, 0, 0, 1),
        "start_offset": chance.randrange(5),
    }


def look(chance: random.Random, at_ns: int) -> Row:
    return "replica_states", {
        **place(chance),
        "at_ns": at_ns,
        "broker": some(chance, 1, 2),
        "log_end_offset": some(chance, None, *range(5)),
        "high_watermark": some(chance, None, *range(5)),
        "leader": some(chance, None, -1, 1, 1, 1, 2, 2),
        "leader_epoch": some(chance, None, 0, 0, 0, 1),
        "isr": some(chance, None, "1,2", "1,2", "1", "2"),
        "quiet": some(chance, None, True, False),
    }


def fetch(chance: random.Random, at_ns: int) -> Row:
    leader = some(chance, 1, 2)
    stage = some(chance, "request", "response")
    return "fetches", {
        **place(chance),
        "at_ns": at_ns,
        "stage": stage,
        "leader": leader,
        "follower": 3 - leader,
        "fetch_offset": chance.randrange(5),
        "high_watermark": chance.randrange(5) if stage == "response" else None,
        "record_bytes": 0,
    }


def alive(chance: random.Random, second: int) -> Row:
    return "liveness", {
        "at_ns": second * 10**9,
        "broker": some(chance, 1, 2),
        "running": chance.random() < 0.9,
        "registered": chance.random() < 0.9,
        "answers": chance.random() < 0.2,
    }


def coordinated(chance: random.Random, at_ns: int) -> Row:
    return "transaction_states", {
        "at_ns": at_ns,
        "transactional_id": some(chance, "tx", "tx", "ty"),
        "coordinator": some(chance, *[1] * 9, 2),
        "state": some(chance, *["PrepareCommit"] * 9, "PrepareAbort", "CompleteCommit", "Ongoing"),
        "producer_id": some(chance, *[7] * 19, 8),
        "epoch": some(chance, *[0] * 19, 1),
        "began_ms": some(chance, *[1000] * 19, 2000),
    }


def commit(chance: random.Random) -> Row:
    invoked_ns = chance.randrange(10)
    ended = chance.choice([None, *range(10)])
    return "commits", {
        **place(chance),
        "group": some(chance, "g", "h"),
        "client": some(chance, "p", "q"),
        "offset": chance.randrange(-1, 5),
        "outcome": chance.choice(["ok", "ok", "ok", "failed", "unknown", "invoked"]),
        "invoked_ns": invoked_ns,
        "completed_ns": None if ended is None else invoked_ns + ended - 1,
        "error": None,
    }


def processed(chance: random.Random) -> Row:
    first = chance.randrange(-1, 5)
    return "processed", {
        **place(chance),
        "group": some(chance, "g", "h"),
        "client": some(chance, "p", "q"),
        "first_offset": first,
        "end_offset": first + chance.randrange(3),
        "completed_ns": chance.randrange(10),
    }


def share(chance: random.Random) -> Row:
    first = chance.randrange(-1, 5)
    return "shares", {
        **place(chance),
        "group": some(chance, "g", "h"),
        "client": some(chance, "p", "q"),
        "step": some(chance, "handed", "accepted", "accepted", "released"),
        "first_offset": first,
        "end_offset": first + chance.randrange(3),
        "delivery_count": some(chance, None, 1, 2),
        "outcome": some(chance, "ok", "ok", "failed", "unknown"),
        "invoked_ns": chance.randrange(10),
        "completed_ns": some(chance, None, 5, 12),
        "error": None,
    }


def contracted(chance: random.Random, tells: str, each: list[Any], keeps: list[Any]) -> Row:
    """A record of an application, or where it was at its end."""
    is_record = tells in ("input", "output")
    return "contracts", {
        "contract": some(chance, "c", "c", "c", "d"),
        "tells": tells,
        "topic": some(chance, "a", "b") if is_record else "a",
        "partition": some(chance, 0, 0, 1),
        "offset": chance.randrange(4) if is_record else some(chance, 2, 4),
        "identity": some(chance, "x", "y", "z", "x", "y", "z", "x", "y", "z", None)
        if is_record
        else None,
        "key_hash": some(chance, 1, 1, 1, 2, None),
        "each": some(chance, *each),
        "keeps": some(chance, *keeps),
    }


def assigned(chance: random.Random) -> Row:
    return "assignments", {
        **place(chance),
        "group": some(chance, "g", "h"),
        "client": some(chance, "p", "q"),
        "what": some(chance, "assigned", "assigned", "revoked", "lost"),
        "at_ns": chance.randrange(12),
        "generation": some(chance, None, 1, 2),
    }
