"""Readers that turn out to have read for a client that sends in transactions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.model.world import World

FRESH = 1_000_000_000  # transactions in which nothing was sent have numbers from here on


@dataclass(frozen=True, slots=True)
class Within:
    """For which client a reader reads, and in which of its transactions it was handed what."""

    sender: dict[str, str]
    transaction: dict[int, int]  # by operation


def within_of(world: World) -> Within | None:
    """Whatever was handed out in whichever transaction: nothing is chosen, and much cannot be."""
    handed = {each.value for each in world.handings}
    numbers: dict[str, int] = {}  # of the first transaction of which somebody was handed something
    for one in world.sends:
        if one.transaction is not None and one.value in handed:
            numbers.setdefault(one.client, one.transaction.number)
    if not numbers or world.ops % 2:
        return None
    clients = sorted(numbers)
    names = sorted({one.reader.name for one in world.handings})
    sender = {name: clients[at % len(clients)] for at, name in enumerate(names)}
    transaction = {
        each.op: numbers[sender[each.reader.name]] if each.op % 8 else FRESH + each.op
        for each in world.handings
    }
    world.tell(f"readers read for {', '.join(clients)}, in their transactions")
    return Within(sender, transaction)
