"""Members whose session has lapsed, or that were killed: their group goes on without them."""

from __future__ import annotations

from tests.model.choices import Choices
from tests.model.clients import Holding, Processed
from tests.model.world import World

KILLED = "is killed"
MOST_US = 30_000


def leave_undone(choices: Choices, world: World) -> None:
    """One thing that had been processed had not, after all."""
    if world.processed and choices.happens(25):
        left = world.processed.pop(choices.below(len(world.processed)))
        world.tell(f"{left.client} had not processed {left.partition.name}@{left.first}")


def lapse(choices: Choices, world: World) -> None:
    """One that had given up its partition before somebody else got it had not, after all."""
    pairs = [
        (one, other)
        for one in world.holdings
        for other in world.holdings
        if one.what == "revoked" and one is not other and _is_next(one, other)
    ]
    if not pairs:
        return
    old, new = choices.pick(pairs)
    if choices.happens(20):
        old.until_ns = old.what = None
        world.tell(f"{old.client} {KILLED}, and says no more")
        return
    late = [one.at_ns for one in world.processed if one.client == new.client] or [new.since_ns]
    old.what, old.until_ns = "lost", choices.pick(late) + 1000 * choices.between(1, MOST_US)
    world.tell(f"{old.client} holds {old.partition.name} on, until it hears that it lost it")
    if choices.happens(70):
        at_ns = choices.between(new.since_ns + 1, max(new.since_ns + 1, old.until_ns - 1))
        offset = world.processed[0].first if world.processed else 0
        done = Processed(old.group, old.partition, offset, offset + 1, old.client, at_ns)
        world.processed.append(done)
        world.tell(f"BUG: {old.client} goes on with {old.partition.name}@{offset} at {at_ns}")


def _is_next(one: Holding, other: Holding) -> bool:
    if (one.group, one.partition) != (other.group, other.partition) or one.until_ns is None:
        return False
    return one.until_ns < other.since_ns
