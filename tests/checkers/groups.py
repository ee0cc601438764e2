"""What a group of a literal record committed, and what was there for it, by milliseconds."""

from __future__ import annotations

import random
from typing import Any

from tests.checkers.conftest import Row, assigned, commit, look, send
from tests.checkers.timelines import MS

Lag = tuple[int | None, int | None]  # the largest, and at the end
EARLIEST = {"billing": {"auto.offset.reset": "earliest"}}
NOBODY: Lag = (None, None)


def acked(offset: int, at_ms: float, partition: int = 0, **more: Any) -> Row:
    at_ns = int(at_ms * MS)
    value = 1000 * partition + offset
    return send(value, offset, (at_ns - 1, at_ns), partition=partition, **more)


def acks(*offsets_at: tuple[int, float], **more: Any) -> list[Row]:
    return [acked(offset, at_ms, **more) for offset, at_ms in offsets_at]


def done(offset: int, at_ms: float, **more: Any) -> Row:
    return commit(offset, (int(at_ms * MS) - 1, int(at_ms * MS)), **more)


def seen(at_ms: int, watermark: int | None, broker: int = 1, **more: Any) -> Row:
    return look(at_ms * MS, broker, 99, watermark, **more)


def event(at_ms: int, client: str, what: str, **more: Any) -> dict[str, Any]:
    return {"kind": "client", "at_ns": at_ms * MS, "client": client, "event": what,
            "group": "billing", "text": what, **more}  # fmt: skip


def chance_rows(chance: random.Random) -> tuple[list[Row], list[dict[str, Any]]]:
    rows, offsets = [], [0, 0, 0]
    for _ in range(chance.randrange(5, 60)):
        at, partition = chance.randrange(10, 4_000), chance.randrange(3)
        match chance.randrange(6):
            case 0 | 1:
                offsets[partition] += chance.randrange(1, 9)
                kind = chance.choice(["all", "all", "1"])
                rows.append(acked(offsets[partition], at, partition, acks=kind))
            case 2:
                rows.append(seen(at, chance.choice([None, 0, 5, 60]), partition=partition))
            case 3 | 4:
                outcome = chance.choice(["ok", "ok", "failed", "unknown"])
                rows.append(done(chance.randrange(50), at, partition=partition, outcome=outcome))
            case 5:
                client = f"billing-{chance.randrange(3)}"
                rows.append(assigned(at * MS, client, partition=partition))
    stopped = range(chance.randrange(3))
    return rows, [
        event(chance.randrange(500, 4_000), f"billing-{number}", "stopping") for number in stopped
    ]
