"""Readers that turn out to have read for a client that sends in transactions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.model.clients import Handing
from tests.model.world import World

FRESH = 1_000_000_000  # transactions in which nothing was sent have numbers from here on


@dataclass(frozen=True, slots=True)
class Within:
    """For which client a reader reads, and in which of its transactions it was handed what."""

    sender: dict[str, str]
    transaction: dict[int, int]  # by operation


def within_of(world: World) -> Within | None:
    """For half of all stories; nothing else is chosen."""
    return None if world.ops % 2 else _within(world, world.handings)


def also_within(world: World, others: list[Handing], within: Within | None) -> Within | None:
    """The same, with what others were handed."""
    found = _within(world, others)
    if found is None or within is None:
        return found or within
    return Within(found.sender | within.sender, found.transaction | within.transaction)


def _within(world: World, handings: list[Handing]) -> Within | None:
    """Whatever was handed out in whichever transaction: much of it cannot be."""
    handed = {each.value for each in handings}
    numbers: dict[str, int] = {}  # of the first transaction of which somebody was handed something
    for one in world.sends:
        if one.transaction is not None and one.value in handed:
            numbers.setdefault(one.client, one.transaction.number)
    if not numbers:
        return None
    clients = sorted(numbers)
    names = sorted({one.reader.name for one in handings})
    sender = {name: clients[at % len(clients)] for at, name in enumerate(names)}
    transaction = {
        each.op: numbers[sender[each.reader.name]] if each.op % 8 else FRESH + each.op
        for each in handings
    }
    world.tell(f"readers read for {', '.join(clients)}, in their transactions")
    return Within(sender, transaction)
