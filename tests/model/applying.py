"""An application that makes one output of each input, until it is killed in the middle."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.model.world import World

EACH = ("exactly", "at least", "at most")


@dataclass
class Applied:
    """What it knows of itself: of which inputs it has made something, and of which once more."""

    inputs: int
    each: str
    tells_ends: bool  # whether the record says that everything was read
    position: int = 0  # that it has committed
    outputs: list[int] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)

    def make(self, of: int) -> None:
        self.again |= {of} & self.done
        self.done.add(of)
        self.outputs.append(of)


def applied_of(world: World) -> Applied | None:
    """By a chance of its own, so that all else is what it was without it."""
    chance = random.Random(f"{world.ops} {world.now_ns}")
    if chance.random() < 0.5:
        return None
    each, tells = chance.choice(EACH), chance.random() < 0.8
    applied = Applied(chance.randint(1, 6), each, tells)
    commits_first, at = chance.random() < 0.5, 0
    while at < applied.inputs:
        ahead = min(applied.inputs, at + chance.randint(1, 3))
        if commits_first:
            applied.position = ahead
        for of in range(at, ahead):
            if chance.random() < 0.1:
                world.tell(f"the application is killed before it makes anything of input {of}")
                at = applied.position
                break
            applied.make(of)
        else:
            applied.position = at = ahead
    return applied


def contract_rows(applied: Applied | None) -> list[dict[str, Any]]:
    """As they stand in the table `contracts`."""
    if applied is None:
        return []
    same = {"contract": "application", "partition": 0}
    ends = ("inputs-end", "outputs-end") if applied.tells_ends else ()
    told = [("position", applied.position), *((end, applied.inputs) for end in ends)]
    inputs = [
        {
            "tells": "input",
            "topic": "given",
            "offset": of,
            "identity": str(of),
            "each": applied.each,
        }
        for of in range(applied.inputs)
    ]
    outputs = [
        {"tells": "output", "topic": "made", "offset": at, "identity": str(of)}
        for at, of in enumerate(applied.outputs)
    ]
    rest = [{"tells": what, "topic": "given", "offset": at} for what, at in told]
    return [{**same, **row} for row in (*inputs, *outputs, *rest)]
