"""Takes steps on a ground, one after the other, and says how the replicas were around each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from highwater.exploration.ground import Ground
from highwater.exploration.steps import Step, Taken
from highwater.exploration.views import State, View, danger_of, state_of
from highwater.harness.errors import ENVIRONMENT, in_words

RECORDED_S = 1.5  # how long a replay waits for the state that was recorded before a step

# What comes next, told how many steps were tried and what is there now; None ends the walk.
Chooser = Callable[[int, Ground, View], Step | None]


@dataclass(slots=True)
class Walk:
    """What was done, in order; `failures` are the words of steps that could not be done."""

    taken: list[Taken] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)  # those of them without which nothing is shown
    left_out: list[str] = field(default_factory=list)  # steps that did not fit as things stood
    parted: int | None = None  # the first step before which the recorded state did not come


def walk(
    ground: Ground, choose: Chooser, expected: Sequence[State] = (), done: Walk | None = None
) -> Walk:
    """Take steps until there is none; before each, wait for its `expected` state if it has one.

    Such a state may last for moments: the next step is taken as soon as it is seen. What is done
    goes into `done` at once, for whoever has to know it though something is raised.
    """
    done, number = Walk() if done is None else done, 0
    wanted = dict(enumerate(expected))
    view = _awaited(ground, wanted.get(0))
    while (step := choose(number, ground, view)) is not None:
        if done.parted is None and wanted.get(number) and state_of(view) != wanted[number]:
            done.parted = number
        number += 1
        if step.move.fits(ground, view):
            view = _take(ground, view, step, done, wanted.get(number))
            continue
        done.left_out.append(str(step))
        if step.move.is_needed:
            done.lacking.append(f"{step}: it could not be done as things stood")
    return done


def _take(ground: Ground, view: View, step: Step, done: Walk, wanted: State | None) -> View:
    before = state_of(view)
    try:
        step.move.take(ground, view, waits=step.waits)
    except ENVIRONMENT as error:
        done.failures.append(f"{step}: {in_words(error)}")
        done.lacking += done.failures[-1:] if step.move.is_needed else []
    after = _awaited(ground, wanted) if step.waits else ground.view()
    state, danger = state_of(after), danger_of(after).level
    done.taken.append(Taken(step, before, state, danger, after.described()))
    return after


def _awaited(ground: Ground, wanted: State | None) -> View:
    """As soon as this state is there, or RECORDED_S are over; without one, when nothing moves."""
    if not wanted:
        return ground.calm()
    seen: list[View] = []

    def there() -> bool:
        seen.append(ground.view())
        return state_of(seen[-1]) == wanted

    ground.soon(there, RECORDED_S)
    return seen[-1]


def following(steps: Sequence[Step]) -> Chooser:
    """These steps, whatever is there."""
    return lambda number, _ground, _view: steps[number] if number < len(steps) else None
