"""Readers of uncommitted records, and groups of such, beside a story that knows nothing of them.

They choose by a chance of their own, and change nothing of what else happens. What they do after a
step lies within the microsecond after it, before all that comes next.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.model.choices import Seeded
from tests.model.circling import Within, also_within
from tests.model.clients import GROUPS, Reader, Stop
from tests.model.owning import lapse, leave_undone
from tests.model.piping import Pipeline, pipeline_of
from tests.model.reading import join, poll, read, read_all, stop
from tests.model.world import World

FIRST_OP, FIRST_READER = 500_000, 1000  # numbers that nobody else has


@dataclass
class Beside(World):
    """The same partitions, and readers, groups, and numbers of its own."""

    def tick(self, most_us: int = 5000) -> int:
        del most_us
        self.now_ns += 1 + self.choices.below(9)
        return self.now_ns

    def errs(self, bug: str, percent: int = 15) -> bool:
        """What is hidden from all readers others have to find hidden as well."""
        return bug != "hides a record from all readers" and super().errs(bug, percent)


def beside_of(world: World) -> Beside | None:
    """After the first step of a story, which no two have alike."""
    chance = random.Random(f"uncommitted {world.ops} {world.now_ns} {world.settings.steps}")
    if chance.random() < 0.6:
        return None
    found = Beside(Seeded(chance.getrandbits(60)), world.settings)
    found.partitions, found.story = world.partitions, world.story
    found.hidden, found.torn = world.hidden, world.torn
    found.ops, found.named = FIRST_OP, FIRST_READER
    found.first_group, found.takes_uncommitted = len(GROUPS) // 2, True
    return found


def stand_still(beside: World) -> None:
    """One waits for the end of a transaction, as it should not."""
    able = [one for one in beside.readers if one.takes_uncommitted and _is_before_open(one)]
    if not able:
        return
    reader = beside.choices.pick(able)
    partition, stable = reader.partition, reader.partition.stable()
    left = partition.lead.log[reader.position : stable]
    poll(beside, reader, sum(not one.is_control for one in left))
    if reader.position > stable:  # it went back, and was handed some again
        return
    reader.position = stable
    times = beside.tick(), beside.tick()
    watermark = partition.lead.watermark
    beside.stops.append(Stop(beside.next_op(), reader, stable, "stall", *times, stable, watermark))
    beside.tell(f"BUG: {reader.name}: stall at {partition.name}@{stable}")


def _is_before_open(reader: Reader) -> bool:
    partition = reader.partition
    if partition.leader is None or partition.lead.watermark < partition.epoch_start:
        return False
    return partition.lead.start <= reader.position <= partition.stable() < reader.end()


STEPS: dict[Callable[[World], None], int] = {read: 20, stop: 5, join: 4, stand_still: 2}


def look_on(world: World) -> None:
    """What they do after a step, if there are any."""
    beside = world.beside
    if beside is not None and beside.choices.happens(50):
        beside.now_ns = world.now_ns + 100
        beside.choices.weighted(STEPS)(beside)


def look_at_all(world: World) -> None:
    """When all is healed one of them may go through everything."""
    beside = world.beside
    if beside is not None and beside.choices.happens(60):
        beside.now_ns = world.now_ns + 100
        read_all(beside)


def take_in(
    world: World, pipeline: Pipeline | None, within: Within | None
) -> tuple[Pipeline | None, Within | None]:
    """Into the record of a story that is over; returns what they have made part of, too."""
    beside = world.beside
    if beside is None:
        return pipeline, within
    choices = beside.choices
    leave_undone(choices, beside)
    if choices.happens(50):
        lapse(choices, beside)
    if choices.happens(50):
        within = also_within(world, beside.handings, within)
    world.handings += beside.handings
    world.stops += beside.stops
    world.commits += beside.commits
    world.processed += beside.processed
    world.holdings += beside.holdings
    beside.sends, beside.handings = world.sends, world.handings
    if pipeline is None and choices.happens(60):
        pipeline = pipeline_of(choices, beside)
    return pipeline, within
