"""The smallest schedule that still fails, by a literal rule of what fails."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from highwater.exploration.moves import Cut, Lead, Mute, Prefer, Release, Send
from highwater.exploration.shrinking import Shrinking, Steps
from highwater.exploration.steps import Step

MUTE, SEND, LEAD = Step(Mute(2, after_records=True)), Step(Send(1, "all")), Step(Lead(2))
NOISE = [Step(Cut(3)), Step(Prefer(1)), Step(Send(3, "1")), Step(Lead(3)), Step(Cut(1))]


def in_order(*needed: Step) -> Callable[[Steps], bool]:
    def fails(steps: Steps) -> bool:
        rest = iter(steps)
        return all(each in rest for each in needed)

    return fails


@pytest.mark.parametrize("seed", range(20))
def test_what_is_not_needed_goes(seed: int) -> None:
    rng = random.Random(seed)
    steps = [MUTE, SEND, LEAD]
    for _ in range(rng.randint(1, 10)):
        steps.insert(rng.randint(0, len(steps)), rng.choice(NOISE))

    assert Shrinking(in_order(MUTE, SEND, LEAD)).smallest(steps) == (MUTE, SEND, LEAD)


def test_no_candidate_is_played_twice() -> None:
    played: list[Steps] = []

    def fails(steps: Steps) -> bool:
        played.append(steps)
        return in_order(MUTE, LEAD)(steps)

    Shrinking(fails).smallest([*NOISE, MUTE, *NOISE, LEAD, *NOISE])

    assert len(played) == len(set(played))


def test_arguments_become_plain_where_they_may() -> None:
    wild = [
        Step(Send(3, "all"), waits=False),
        Step(Mute(2, after_records=True), waits=False),
        Step(Release("mute", 2, deliver=True)),
    ]

    def fails(steps: Steps) -> bool:
        return len(steps) == 3 and not steps[1].waits

    assert Shrinking(fails).smallest(wild) == (
        Step(Send(1, "all")),
        Step(Mute(2, after_records=True), waits=False),
        Step(Release("mute", 2, deliver=False)),
    )


def test_what_is_opened_and_released_goes_together() -> None:
    """A release alone changes nothing, and an opening alone would hide the loss."""
    opened, released = Step(Cut(3)), Step(Release("cut", 3, deliver=False))

    def fails(steps: Steps) -> bool:
        return in_order(SEND, LEAD)(steps) and (opened in steps) is (released in steps)

    assert Shrinking(fails).smallest([opened, SEND, released, LEAD]) == (SEND, LEAD)
