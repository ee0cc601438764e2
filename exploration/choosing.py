"""How the next step is chosen: by chance alone, or where it was new and near to a loss before.

Nothing here knows a release of Kafka: what is new and what is near is read off the replicas.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from highwater.exploration.ground import Ground
from highwater.exploration.moves import Lead, Release
from highwater.exploration.neighbours import LeadBeside
from highwater.exploration.proposals import GENTLE, by_chance, swarm
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Move, Step, Taken
from highwater.exploration.taking_over import CommitAsFormer
from highwater.exploration.transacting import Arrive, DelayMarker, End
from highwater.exploration.views import Danger, State, View, danger_of

SHORTEST, LONGEST_ALONE, LONGEST = 5, 12, 16  # steps
MOST_BEGINNINGS = 3000  # of these the least worth are forgotten
AFRESH = 0.2  # how often a schedule begins with nothing
CHANGED = 0.3  # how often one that goes on from another changes it first
ARRIVES = 0.3  # how often what is too late for its transaction comes at once
CONFIRMED = 0.8  # how often what would make a loss of a danger is done at once


class Strategy(Protocol):
    """Chooses the steps of one schedule after another, and learns from each."""

    name: str

    @property
    def chosen(self) -> str:
        """The name of the strategy that plays this schedule: another one in a mixture."""

    def begin(self, rng: random.Random) -> None:
        """A new schedule; all of its chance is of this generator."""

    def __call__(self, number: int, ground: Ground, view: View) -> Step | None: ...

    def learn(self, played: Round) -> int:
        """How many states in it were new."""


@dataclass
class Uniform:
    """A random walk over the moves."""

    weights: Mapping[str, float] = field(default_factory=lambda: GENTLE)
    name: str = "uniform"
    rng: random.Random = field(default_factory=random.Random)
    _length: int = 0

    @property
    def chosen(self) -> str:
        return self.name

    def begin(self, rng: random.Random) -> None:
        self.rng = rng
        self._length = self.rng.randint(SHORTEST, LONGEST_ALONE)

    def __call__(self, number: int, ground: Ground, view: View) -> Step | None:
        if number >= self._length:
            return None
        return by_chance(self.rng, ground, view, self.weights)

    def learn(self, played: Round) -> int:  # noqa: ARG002
        return 0


@dataclass(slots=True)
class Beginning:
    """Steps that came to something new."""

    steps: Sequence[Step]
    news: int
    danger: int
    picks: int = 0

    @property
    def worth(self) -> float:
        return float((1 + self.news) ** 0.5 * 3.0**self.danger / (1 + self.picks))


@dataclass
class Guided:
    """Goes on from what was new and near to a loss; who would lead into a loss is elected."""

    weights: Mapping[str, float] = field(default_factory=lambda: GENTLE)
    name: str = "guided"
    rng: random.Random = field(default_factory=random.Random)
    beginnings: list[Beginning] = field(default_factory=list)
    seen: Counter[State] = field(default_factory=Counter)
    _prefix: list[Step | None] = field(default_factory=list)  # None: a step by chance
    _next: int = 0  # of these
    _length: int = 0
    _chosen: Mapping[str, float] = field(default_factory=dict)
    _is_confirmed: bool = False

    @property
    def chosen(self) -> str:
        return self.name

    def begin(self, rng: random.Random) -> None:
        self.rng = rng
        self._prefix, self._next, self._is_confirmed = [], 0, False
        self._chosen = swarm(rng, self.weights)
        self._length = rng.randint(SHORTEST, LONGEST_ALONE)
        if self.beginnings and rng.random() > AFRESH:
            chosen = rng.choices(self.beginnings, [each.worth for each in self.beginnings])[0]
            chosen.picks += 1
            self._prefix = [*chosen.steps]
            if rng.random() < CHANGED:
                self._change()
            self._length = min(LONGEST, len(self._prefix) + rng.randint(1, SHORTEST))

    def _change(self) -> None:
        """Leave a step out, swap two, add one, or let one wait that did not."""
        prefix, at = self._prefix, self.rng.randrange(len(self._prefix))
        kind, step = self.rng.choice(("delete", "swap", "wait", "insert")), prefix[at]
        if kind == "delete":
            del prefix[at]
        elif kind == "swap" and at + 1 < len(prefix):
            prefix[at], prefix[at + 1] = prefix[at + 1], prefix[at]
        elif kind == "wait" and step is not None:
            prefix[at] = Step(step.move, not step.waits)
        elif kind == "insert":
            prefix.insert(at, None)

    def __call__(self, number: int, ground: Ground, view: View) -> Step | None:
        confirming = self._confirming(number, danger_of(view))
        if confirming is not None:
            return confirming
        if number >= self._length:
            return None
        planned = self._prefix[self._next] if self._next < len(self._prefix) else None
        self._next += 1
        return planned or by_chance(self.rng, ground, view, self._chosen)

    def _confirming(self, number: int, danger: Danger) -> Step | None:
        """By chance the last step, which makes a loss of it, or that something late arrives."""
        last, late = _what_confirms(danger), _what_is_late(danger)
        if last is not None and not self._is_confirmed and self.rng.random() < CONFIRMED:
            self._is_confirmed, self._length = True, number + 1
            return Step(last)
        if late is not None and self.rng.random() < ARRIVES:
            # No other step is left out for it, and what comes of it may be confirmed.
            self._length = max(self._length + 1, number + 2)
            return Step(late)
        return None

    def learn(self, played: Round) -> int:
        """Keep the steps up to what was nearest to a loss, and up to the last thing that was new.

        What came after the nearest may have led away again.
        """
        news, last, taken = 0, -1, played.taken
        for number, each in enumerate(taken):
            if not self.seen[each.after]:
                news, last = news + 1, number
            self.seen[each.after] += 1
        if news:
            peak = max(range(last + 1), key=lambda at: (taken[at].danger, -at))
            for at in {peak, last}:
                self.beginnings.append(_beginning(taken[: at + 1], news))
        if len(self.beginnings) > MOST_BEGINNINGS:
            self.beginnings.sort(key=lambda each: each.worth, reverse=True)
            del self.beginnings[MOST_BEGINNINGS * 2 // 3 :]
        return news


def _what_confirms(danger: Danger) -> Move | None:
    """What makes a loss of it."""
    if danger.heir is not None:
        return Lead(danger.heir)
    if danger.heir_beside is not None:
        return LeadBeside(danger.heir_beside)
    return None if danger.deceived is None else End(danger.deceived, commit=True)


def _what_is_late(danger: Danger) -> Move | None:
    if danger.stray is not None:
        return Release(DelayMarker.name, danger.stray, deliver=False)
    if danger.overtaken is not None:
        return CommitAsFormer(danger.overtaken)
    return None if danger.too_late is None else Arrive(danger.too_late)


def _beginning(taken: Sequence[Taken], news: int) -> Beginning:
    return Beginning([each.step for each in taken], news, taken[-1].danger)
