"""How long producers lived: a story ends before most of them do, or they were killed after all.

Who does nothing more may have been killed at any time since: no other part of the story changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.model.choices import Choices
from tests.model.clients import SECOND_NS, Handing, Send, Stop
from tests.model.world import World

AFTER_NS = tuple(each * SECOND_NS for each in (0, 5, 20, 28, 32, 100))


@dataclass(frozen=True, slots=True)
class Lives:
    """When each producer ended, and of which the record tells."""

    ends: Mapping[str, int] = field(default_factory=dict)
    told: frozenset[str] = frozenset()


def last_ns(world: World) -> int:
    """When the last thing happened that a client saw."""
    done: list[Send | Handing | Stop] = [*world.sends, *world.handings, *world.stops]
    return max((one.completed_ns or one.invoked_ns for one in done), default=0)


def abandon(choices: Choices, world: World) -> None:
    """Two records more, after all else, that never reach a broker."""
    partition = world.a_partition()
    for client, after_s in (("gone", 1), ("late", choices.pick((20, 40, 100)))):
        world.values += 1
        world.now_ns += after_s * SECOND_NS
        sent = Send(world.next_op(), client, partition, world.values, "all", world.tick())
        world.sends.append(sent)
        world.tell(f"{client} sends {sent.value} to {partition.name}, and has no answer")


def lives_of(choices: Choices, world: World) -> Lives:
    if choices.happens(30):
        abandon(choices, world)
    last = last_ns(world)
    active: dict[str, int] = {}
    for one in world.sends:
        at_ns = one.completed_ns or one.invoked_ns
        active[one.client] = max(at_ns, active.get(one.client, at_ns))
    ends = dict.fromkeys(sorted(active), last)
    for client in ends:
        if choices.happens(50):
            ends[client] = min(active[client] + choices.pick(AFTER_NS), last)
            world.tell(f"{client} was killed at {ends[client] / SECOND_NS:.1f} s")
    return Lives(ends, frozenset(client for client in ends if choices.happens(70)))
