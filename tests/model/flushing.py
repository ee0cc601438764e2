"""Producers that are told to flush: they wait for all outcomes, or say too early that they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.model.choices import Choices
from tests.model.clients import Send
from tests.model.world import World


@dataclass(frozen=True, slots=True)
class Flush:
    """One of each client at most; of those that it had been handed the `missed` had no outcome."""

    client: str
    asked_ns: int
    flushed_ns: int
    handed: list[Send] = field(default_factory=list)
    missed: list[Send] = field(default_factory=list)


def flush_row(rounded: Callable[[int], int], one: Flush) -> dict[str, Any]:
    times = {"asked_ns": one.asked_ns, "flushed_ns": one.flushed_ns}
    return {"client": one.client, **{name: rounded(at_ns) for name, at_ns in times.items()}}


def flushes_of(choices: Choices, world: World) -> list[Flush]:
    found = []
    for client in sorted({one.client for one in world.sends}):
        if choices.happens(40):
            flush = _flush(choices, client, [one for one in world.sends if one.client == client])
            found += [] if flush is None else [flush]
    return found


def _flush(choices: Choices, client: str, mine: list[Send]) -> Flush | None:
    """None of a client that still waits: it has not said that it has flushed."""
    asked_ns = choices.pick(mine).invoked_ns + 1
    handed = [one for one in mine if one.invoked_ns < asked_ns]
    if choices.happens(20):
        flushed_ns = asked_ns + choices.below(1_000_000)
        return Flush(client, asked_ns, flushed_ns, handed, _open_at(flushed_ns, handed))
    ends = [one.completed_ns for one in handed if one.completed_ns is not None]
    if len(ends) < len(handed):
        return None
    return Flush(client, asked_ns, max(asked_ns, *ends), handed)


def _open_at(at_ns: int, sends: list[Send]) -> list[Send]:
    return [one for one in sends if one.completed_ns is None or one.completed_ns > at_ns]
