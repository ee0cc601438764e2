"""Small records as a hostile reader would write them, and what is right to say of each.

`hostile.jsonl` has a case on each line: its rows (a constructor below and its arguments), the
claims that are violated and no others, what further claims answer ("!" for anything but), and why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.checkers.conftest import Row

MS = 1_000_000
FILE = Path(__file__).with_suffix(".jsonl")
OWN: Any = object()  # the checksum or digest that follows from the value


@dataclass(frozen=True)
class Case:
    name: str
    rows: Sequence[Row]
    violated: frozenset[str]
    answers: Mapping[str, str]
    why: str
    run: Mapping[str, Any] = field(default_factory=dict)  # what run.json says besides


def cases() -> list[Case]:
    """All of them, in the order of the file."""
    told = [json.loads(line) for line in FILE.read_text().splitlines()]
    return [
        Case(
            name=one["name"],
            rows=[_row(*row) for row in one["rows"]],
            violated=frozenset(one["violated"]),
            answers=one["answers"],
            why=one["why"],
            run=one.get("run", {}),
        )
        for one in told
    ]


def _row(kind: str, *arguments: Any) -> Row:
    more = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    return KINDS[kind](*(arguments[:-1] if more else arguments), **more)


def _operation(op: int, action: str, t: Sequence[float] | None, **more: Any) -> Row:
    began, ended = (op * 10, op * 10 + 5) if t is None else t
    place = {"topic": more.pop("topic", "t"), "partition": more.pop("part", 0)}
    value, checksum = more.get("value"), more.pop("checksum", OWN)
    return "history", {
        "op": op, "action": action, **place, "value": value, "error": None, "acks": None,
        "outcome": "ok", "checksum": _checksum(value) if checksum is OWN else checksum,
        "invoked_ns": int(began * MS), "completed_ns": None if ended is None else int(ended * MS),
        **more,
    }  # fmt: skip


def _checksum(value: int | None) -> int | None:
    return None if value is None else value * 7919 % 2**32


def _send(op: int, value: int | None, offset: int | None, outcome: str = "ok", **more: Any) -> Row:
    known = {"client": "p", "acks": "all", "error": None if outcome == "ok" else "told"}
    told = {**known, "value": value, "offset": offset, "outcome": outcome, **more}
    return _operation(op, "send", told.pop("t", None), **told)


def _poll(op: int, value: int | None, offset: int | None, client: str = "c", **more: Any) -> Row:
    told = {"client": client, "value": value, "offset": offset, **more}
    return _operation(op, "poll", told.pop("t", None), **told)


def _end(op: int, offset: int | None, client: str = "c", **more: Any) -> Row:
    told = {"client": client, "offset": offset, "checksum": None, **more}
    return _operation(op, "end", told.pop("t", None), **told)


def _stall(op: int, offset: int | None, client: str = "c", **more: Any) -> Row:
    table, row = _end(op, offset, client, **more)
    return table, {**row, "action": "stall"}


def _place(more: dict[str, Any]) -> dict[str, Any]:
    return {"topic": more.pop("topic", "t"), "partition": more.pop("part", 0)}


def _stored(broker: int, offset: int, value: int | None = None, **more: Any) -> Row:
    place, control = _place(more), more.pop("control", False)
    digest, checksum = more.pop("digest", OWN), more.pop("checksum", OWN)
    return "replica_logs", {
        "broker": broker, **place, "offset": offset, "value": value, "is_control": control,
        "leader_epoch": more.pop("epoch", 0), "magic": 2, "problem": None,
        "checksum": _checksum(value) if checksum is OWN else checksum,
        "digest": (999 if control else value) if digest is OWN else digest,
        "segment": more.pop("seg", "00000000000000000000.log"),
        "position": more.pop("pos", offset * 100), **more,
    }  # fmt: skip


def _replica(broker: int, start: int | None, end: int | None, **more: Any) -> Row:
    return "replica_ends", {
        "broker": broker, **_place(more), "log_start_offset": start, "log_end_offset": end,
        "high_watermark": more.pop("hw", end), "is_leader": more.pop("leader", broker == 1),
        "in_isr": more.pop("isr", True), "leader_epoch": more.pop("epoch", 0), "settled": True,
        **more,
    }  # fmt: skip


def _entry(broker: int, epoch: int, start: int, **more: Any) -> Row:
    row = {"broker": broker, **_place(more), "leader_epoch": epoch, "start_offset": start}
    return "epoch_checkpoints", row


def _look(at: float, broker: int, end: int, watermark: int, **more: Any) -> Row:
    return "replica_states", {
        "at_ns": int(at * MS), "broker": broker, **_place(more), "log_end_offset": end,
        "high_watermark": watermark, "leader": 1, "leader_epoch": more.pop("epoch", 0),
        "isr": "1,2,3", "quiet": False, **more,
    }  # fmt: skip


def _fetch(at: float, stage: str, *between: int, **more: Any) -> Row:
    leader, follower, fetch_offset, *watermark = between
    return "fetches", {
        "at_ns": int(at * MS), "stage": stage, "leader": leader, "follower": follower,
        **_place(more), "fetch_offset": fetch_offset,
        "high_watermark": watermark[0] if watermark else None,
        "record_bytes": None if stage == "request" else 100,
    }  # fmt: skip


def _alive(at: float, broker: int, **more: Any) -> Row:
    seen = {"running": True, "registered": True, "answers": True, **more}
    return "liveness", {"at_ns": int(at * MS), "broker": broker, **seen}


def _consumer(client: str, **more: Any) -> Row:
    told = more or {"begins_at": "earliest"}
    return "clients", {"client": client, "role": "consumer", **told}


def _producer(client: str, **more: Any) -> Row:
    return "clients", {"client": client, "role": "producer", "idempotence": True, **more}


KINDS: Mapping[str, Callable[..., Row]] = {
    "send": _send, "poll": _poll, "end": _end, "stall": _stall, "stored": _stored,
    "replica": _replica, "entry": _entry, "look": _look, "fetch": _fetch, "alive": _alive,
    "consumer": _consumer, "producer": _producer,
}  # fmt: skip
