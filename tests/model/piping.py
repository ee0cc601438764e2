"""A client that turns out to have sent what a group made of the records that it was handed."""

from __future__ import annotations

from dataclasses import dataclass

from tests.model.choices import Choices
from tests.model.clients import Send
from tests.model.world import World

NOBODY_WAS_HANDED = 2_000_000


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Whose outputs one client's sends are, and the value of which record each is made of."""

    group: int
    client: str
    made_of: dict[Send, int | None]


def pipeline_of(choices: Choices, world: World) -> Pipeline | None:
    """One output of each record, as far as there are sends; the rest are made of others."""
    clients = sorted({one.client for one in world.sends})
    if not world.commits or not clients:
        return None
    group, client = choices.pick(world.commits).group, choices.pick(clients)
    mine = [one for one in world.sends if one.client == client]
    handed = [one for one in world.handings if one.value is not None]
    places = {one.partition: one.offset for one in world.commits if one.group == group}
    below = [
        one.value for one in handed if one.offset < places.get(one.partition, 0)
    ] if choices.happens(90) else [one.value for one in handed]  # fmt: skip
    wanted = sorted({value for value in below if value is not None})
    if choices.happens(30) and wanted:
        left = wanted.pop(choices.below(len(wanted)))
        world.tell(f"BUG: {client} makes nothing of {left}")
    if choices.happens(30) and wanted:
        again = choices.pick(wanted)
        wanted.insert(choices.below(len(wanted) + 1), again)
        world.tell(f"BUG: {client} makes two of {again}")
    others = [NOBODY_WAS_HANDED + number for number in range(len(mine))]
    made: dict[Send, int | None] = dict(zip(mine, [*wanted, *others], strict=False))
    if choices.happens(5):
        made[choices.pick(mine)] = None
    world.tell(f"{client} sends what g{group} makes")
    return Pipeline(group, client, made)
