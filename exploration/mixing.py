"""Several strategies by turns: whichever came near to a loss in a new way is asked more often."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from highwater.exploration.choosing import Guided, Strategy, Uniform
from highwater.exploration.ground import Ground
from highwater.exploration.nemesis import Nemesis, storms
from highwater.exploration.proposals import GENTLE
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step
from highwater.exploration.views import View

KEPT = 0.97  # of what is known of a strategy, after each schedule: what paid once may pay no more
DOUBT_STEPS = 10.0  # as if each had been tried for so many, and had brought one thing


@dataclass(slots=True)
class Purse:
    """What a strategy has brought, and in how many steps; both fade.

    Not in how many seconds: these differ from one search of a seed to another.
    """

    gains: float = 0.0
    steps: float = 0.0

    def drawn(self, rng: random.Random) -> float:
        """A rate that it may well have: Thompson sampling of a Poisson process."""
        return rng.gammavariate(1.0 + self.gains, 1.0) / (DOUBT_STEPS + self.steps)

    def fade(self) -> None:
        self.gains *= KEPT
        self.steps *= KEPT


@dataclass
class Mixed:
    """Guided, by chance alone, and a nemesis if it storms; the first one learns from all."""

    weights: Mapping[str, float] = field(default_factory=lambda: GENTLE)
    name: str = "mixed"
    purses: dict[str, Purse] = field(default_factory=dict)
    chosen: str = ""

    def __post_init__(self) -> None:
        self.guided = Guided(self.weights)
        others: list[Strategy] = [Uniform(self.weights)]
        others += [Nemesis(self.weights)] if storms(self.weights) else []
        self._strategies = {each.name: each for each in (self.guided, *others)}
        self.purses = {name: Purse() for name in self._strategies}

    def begin(self, rng: random.Random) -> None:
        drawn = {name: purse.drawn(rng) for name, purse in self.purses.items()}
        untried = [name for name, purse in self.purses.items() if not purse.steps]
        # What a strategy brings is far more than is assumed of one that nobody has seen.
        self.chosen = rng.choice(untried) if untried else max(drawn, key=drawn.__getitem__)
        self._strategies[self.chosen].begin(rng)

    def __call__(self, number: int, ground: Ground, view: View) -> Step | None:
        return self._strategies[self.chosen](number, ground, view)

    def learn(self, played: Round) -> int:
        """What it brought is how near to a loss its new states were, summed up."""
        for purse in self.purses.values():
            purse.fade()
        if played.by in self.purses:  # the log of an older search may not say who it was
            purse = self.purses[played.by]
            new = {each.after: each.danger for each in played.taken}
            purse.gains += sum(new[state] for state in new if not self.guided.seen[state])
            purse.steps += max(1, len(played.taken))
        return self.guided.learn(played)
