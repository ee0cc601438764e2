"""A share group: each record is free, held by one member, or accepted for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.model.choices import Choices
from tests.model.clients import OK
from tests.model.logs import Partition
from tests.model.world import World

MEMBERS, RECORDS = ("w1", "w2", "w3"), 8


@dataclass(frozen=True, slots=True)
class Shared:
    """What a member was handed or accepted; `is_again` where that had been confirmed before."""

    partition: Partition
    client: str
    step: str  # handed, accepted
    first: int
    end: int
    is_confirmed: bool
    is_again: bool
    at_ns: int


def shares_of(choices: Choices, world: World) -> list[Shared]:
    """What members say of a broker that writes down what it confirms, or forgets it."""
    partition, told = world.a_partition(), list[Shared]()
    forgets = choices.happens(30)
    free, held = set(range(RECORDS)), dict[int, str]()
    written, confirmed = set[int](), set[int]()
    for at_ns in range(1000, 1000 * choices.between(2, 25), 1000):
        member = choices.pick(MEMBERS)
        mine = sorted(offset for offset, whose in held.items() if whose == member)
        if mine and choices.happens(60):
            offset, is_written = mine[0], choices.happens(85)
            is_confirmed = is_written and choices.happens(85)
            again = is_confirmed and offset in confirmed
            told.append(Shared(partition, member, "accepted", offset, offset + 1, is_confirmed,
                               again, at_ns))  # fmt: skip
            del held[offset]
            (written if is_written else free).add(offset)
            confirmed |= {offset} if is_confirmed else set()
        elif mine and choices.happens(50):
            free.add(mine[0])  # its lock times out
            del held[mine[0]]
        elif forgets and written and choices.happens(60):
            offset = choices.pick(sorted(written))
            written.discard(offset)
            free.add(offset)
            world.tell(f"BUG: a share group forgets that {partition.name}@{offset} is accepted")
        elif free:
            offset = choices.pick(sorted(free))
            free.discard(offset)
            held[offset] = member
            told.append(Shared(partition, member, "handed", offset, offset + 1, True, False, at_ns))
    return told


def shared_row(rounded: Callable[[int], int], one: Shared) -> dict[str, Any]:
    """As it stands in the table `shares`."""
    at_ns = rounded(one.at_ns)
    return {
        "group": "workers",
        "client": one.client,
        "topic": one.partition.topic,
        "partition": one.partition.number,
        "step": one.step,
        "first_offset": one.first,
        "end_offset": one.end,
        "outcome": OK if one.is_confirmed else "unknown",
        "invoked_ns": at_ns,
        "completed_ns": at_ns,
    }
