"""Faults, sends and looks of literal records, and what was measured of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.checkers.conftest import Row, look, send

from highwater.checkers.judge import Judgement

MS = 10**6
KILL = {"kind": "fault", "fault": "Kill(1)", "text": "kill 1", "id": 1}
PAUSE = {"kind": "fault", "fault": "Pause(2)", "text": "pause 2", "id": 2}
Event = dict[str, Any]
Judged = Callable[..., Judgement]  # of the fixture `judged`


def opened(at_ms: int, fault: Event = KILL) -> Event:
    return {**fault, "phase": "opened", "at_ns": at_ms * MS}


def closed(at_ms: int, fault: Event = KILL) -> Event:
    return {**fault, "phase": "closed", "at_ns": at_ms * MS}


def only(said: Judgement, partition: int | None = 0, fault: str = "1") -> dict[str, Any]:
    found: list[dict[str, Any]] = said.recoveries.to_pylist()
    (row,) = [row for row in found if (row["partition"], row["fault_id"]) == (partition, fault)]
    return row


def acked(value: int, since_ms: float, until_ms: float, **more: Any) -> Row:
    return send(value, value, (int(since_ms * MS), int(until_ms * MS)), **more)


def looks(*seen: tuple[int, int | None, str | None], partition: int = 0) -> list[Row]:
    """At replica 1 of 1 to 3: when, in ms, who led, and the ISR."""
    others = [look(0, broker, 0, 0, leader=None, isr=None, partition=partition)
              for broker in (2, 3)]  # fmt: skip
    return others + [
        look(at_ms * MS, 1, 0, 0, leader=leader, isr=isr, partition=partition)
        for at_ms, leader, isr in seen
    ]


STEADY = [acked(1, 0, 5), acked(2, 100, 105), acked(3, 200, 205)]
