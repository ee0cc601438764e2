"""Makes a schedule small: fewer steps, plainer ones, and every try is remembered.

Delta debugging (Zeller and Hildebrandt, 2002), from the end: what came after the loss goes first.
In the end brokers are called by the lowest numbers that will do, so that equal stories read alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

from highwater.exploration.ground import QUORUM
from highwater.exploration.injections import Await, Heal, Inject
from highwater.exploration.moves import Release, Send
from highwater.exploration.numbering import SendOnce
from highwater.exploration.proposals import DELIVERED
from highwater.exploration.steps import Step
from highwater.exploration.transacting import Write

Steps = tuple[Step, ...]
BROKERS = 3  # of the cluster of every search


@dataclass(slots=True)
class Shrinking:
    """`fails` plays steps, a few times if need be, and says whether the loss is there still.

    Once it `is_over` nothing more is played, and what is smallest by then is kept.
    """

    fails: Callable[[Steps], bool]
    is_over: Callable[[], bool] = lambda: False
    tried: dict[Steps, bool] = field(default_factory=dict)
    is_cut_short: bool = False  # something was not tried

    def smallest(self, steps: Sequence[Step]) -> Steps:
        """No step can be left out of it alone, none made plainer, and no broker named lower."""
        before, small = tuple[Step, ...](), tuple(steps)
        while small != before:
            before, small = small, self._plainer(self._without_pairs(self._fewer(small)))
            if small == before:  # what is gone need not be renamed
                small = self._renamed(small)
        return small

    def _still_fails(self, steps: Steps) -> bool:
        if steps not in self.tried:
            if self.is_over():
                self.is_cut_short = True
                return False
            self.tried[steps] = self.fails(steps)
        return self.tried[steps]

    def _fewer(self, steps: Steps) -> Steps:
        parts = 2
        while len(steps) >= 2:
            size = max(1, len(steps) // parts)
            rest = next(filter(self._still_fails, _without_chunks(steps, size)), None)
            if rest is not None:
                steps, parts = rest, max(parts - 1, 2)
            elif size == 1:
                break
            else:
                parts = min(parts * 2, len(steps))
        return steps

    def _without_pairs(self, steps: Steps) -> Steps:
        """What is opened and released may only be left out together."""
        for at, step in enumerate(steps):
            opened = step.move.name, getattr(step.move, "broker", QUORUM)
            ends = (
                later
                for later, other in enumerate(steps)
                if later > at
                and isinstance(other.move, Release)
                and (other.move.of, other.move.broker) == opened
            )
            end = next(ends, None)
            rest = tuple(each for place, each in enumerate(steps) if place not in {at, end})
            if end is not None and self._still_fails(rest):
                return self._without_pairs(rest)
        return steps

    def _plainer(self, steps: Steps) -> Steps:
        for at in range(len(steps)):
            for plain in _plainer_than(steps[at]):
                candidate = (*steps[:at], plain, *steps[at + 1 :])
                if self._still_fails(candidate):
                    steps = candidate
                    break
        return steps

    def _renamed(self, steps: Steps) -> Steps:
        """Brokers by the lowest numbers in their order: 1, 2, 3 where nobody is another.

        Broker 1 leads at first, and is the impatient one, so that many are.
        """
        return next(filter(self._still_fails, _renamings(steps)), steps)


def _renamings(steps: Steps) -> Iterator[Steps]:
    """With other numbers, the lowest first; none where a step is not understood in this."""
    order = _brokers_in(steps)
    if order is None or not {*order} <= {*range(1, BROKERS + 1)}:
        return
    for names in permutations(range(1, BROKERS + 1), len(order)):
        if names >= order:
            return
        told = dict(zip(order, names, strict=True))
        yield tuple(_with(each, told) for each in steps)


def _brokers_in(steps: Steps) -> tuple[int, ...] | None:
    """In the order in which they come first; None where a step has them in words."""
    if any(isinstance(each.move, Await | Heal | Inject) for each in steps):
        return None
    named = (getattr(each.move, "broker", QUORUM) for each in steps)
    return tuple(dict.fromkeys(each for each in named if each != QUORUM))


def _with(step: Step, names: Mapping[int, int]) -> Step:
    broker = getattr(step.move, "broker", QUORUM)
    if broker == QUORUM:
        return step
    fields: dict[str, Any] = {"broker": names[broker]}  # of whichever move it is
    return replace(step, move=replace(step.move, **fields))


def _without_chunks(steps: Steps, size: int) -> Iterator[Steps]:
    for start in reversed(range(0, len(steps), size)):
        rest = steps[:start] + steps[start + size :]
        if rest:
            yield rest


def _plainer_than(step: Step) -> Iterator[Step]:
    """One record instead of three, waiting instead of a race, discarded instead of delivered."""
    move = step.move
    if isinstance(move, Send | Write | SendOnce) and move.records > 1:
        yield Step(replace(move, records=1), step.waits)
    if isinstance(move, Release) and move.deliver and move.of not in DELIVERED:
        yield Step(replace(move, deliver=False), step.waits)
    if not step.waits:
        yield Step(move)
