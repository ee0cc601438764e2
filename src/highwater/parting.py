"""Where two searches of the same seed parted: real brokers do not answer at the same moments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from highwater.exploration.rounds import Round
from highwater.exploration.steps import Taken


def likeness(other: str, own: Iterable[tuple[int, Round]], its: Iterable[tuple[int, Round]]) -> str:
    """In a sentence how long a search was as another one, of which both have the logs.

    Schedules are the same where their steps are, and the states that these came to.
    """
    mine, theirs = dict(own), dict(its)
    alike = 0
    for number in sorted({*mine} | {*theirs}):
        if number not in mine or number not in theirs:
            ended = "this one" if number not in mine else other
            return f"as {other} for {_counted(alike)}, with which {ended} ends"
        if why := _parted(mine[number].taken, theirs[number].taken, other):
            return f"as {other} for {_counted(alike)}; schedule {number} parted at {why}"
        alike += 1
    return f"as {other} for all of {_counted(alike)}"


def _counted(schedules: int) -> str:
    return "1 schedule" if schedules == 1 else f"{schedules} schedules"


def _parted(own: Sequence[Taken], its: Sequence[Taken], other: str) -> str:
    """The first step that is another one, or has another state around it; "" if there is none."""
    for number, (one, two) in enumerate(zip_longest(own, its), start=1):
        if one is None or two is None:
            longer, extra = ("only", one) if two is None else (f"only in {other}", two)
            return f"step {number}: {longer} {extra.step}"
        if one.step != two.step:
            return f"step {number}: {one.step}, not {two.step}"
        if one.before != two.before:
            return f"step {number}: another state before {one.step}"
        if one.after != two.after:
            return f"step {number}: another state after {one.step}"
    return ""
