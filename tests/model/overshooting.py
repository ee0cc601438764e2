"""A group that commits near the end of a log, and perhaps beyond all that it has ever held."""

from __future__ import annotations

import random

from tests.model.clients import Commit, Processed
from tests.model.world import World

ITS_GROUP = 7  # nobody else's


def overshoot(world: World) -> None:
    """By a chance of its own, so that all else is what it was without it."""
    chance = random.Random(f"overshooting {world.ops} {world.now_ns}")
    if chance.random() < 0.6:
        return
    partition = chance.choice(world.partitions)
    position = max(0, partition.longest + chance.choice((-2, -1, 0, 0, 1, 2, 5, 20, 1000)))
    client, at_ns = f"g{ITS_GROUP}-1", world.now_ns
    world.commits.append(Commit(ITS_GROUP, partition, position, client, at_ns))
    if partition.longest:
        done = Processed(ITS_GROUP, partition, 0, partition.longest, client, at_ns)
        world.processed.append(done)
    bug = f" BUG: it never went beyond {partition.longest}"
    is_beyond = position > partition.longest
    world.tell(f"{client} commits {partition.name}@{position}{bug if is_beyond else ''}")
