"""Faults at random times while records are sent all the time, as Jepsen does it.

It looks at nothing but what fits; what it did is a schedule all the same, with the times between.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from highwater.exploration.ground import Ground
from highwater.exploration.proposals import GENTLE, by_chance
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step
from highwater.exploration.storms import Idle, Pour
from highwater.exploration.views import View

FAULTS: Mapping[str, float] = {"isolate": 2.0, "release": 3.0, "lead": 2.0}
MORE = (  # where the moves have them
    "kill", "stop", "start", "freeze", "lose power", "lead beside", "drop", "assign",
    "wipe", "jump", "depose", "kill voter",
)  # fmt: skip
SENT = "send all"  # all the time
STORM_MS = 4000
SHORTEST_MS, LONGEST_MS = 50, 800  # between two faults
GAP_MS = 10  # between an answer and the next record


def storms(weights: Mapping[str, float]) -> bool:
    """Whether a storm is one of these moves: records are sent in it, and nothing else is.

    Among transactions, or positions of groups, it would search for what it never does.
    """
    return SENT in weights


@dataclass
class Nemesis:
    """Breaks and heals links, and moves the leader, and never waits for what comes of it."""

    weights: Mapping[str, float] = field(default_factory=lambda: GENTLE)
    name: str = "nemesis"
    rng: random.Random = field(default_factory=random.Random)
    _left_ms: int = 0

    def __post_init__(self) -> None:
        more = {name: self.weights[name] for name in MORE if name in self.weights}
        self._faults = {**FAULTS, **more}

    @property
    def chosen(self) -> str:
        return self.name

    def begin(self, rng: random.Random) -> None:
        self.rng, self._left_ms = rng, STORM_MS

    def __call__(self, number: int, ground: Ground, view: View) -> Step | None:
        if number == 0:
            return Step(Pour(GAP_MS), waits=False)
        if number % 2:
            wait_ms = self.rng.randint(SHORTEST_MS, LONGEST_MS)
            self._left_ms -= wait_ms
            return Step(Idle(wait_ms), waits=False)
        fault = by_chance(self.rng, ground, view, self._faults) if self._left_ms > 0 else None
        return Step(fault.move, waits=False) if fault else None

    def learn(self, played: Round) -> int:  # noqa: ARG002
        return 0
