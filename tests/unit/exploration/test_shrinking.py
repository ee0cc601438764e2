"""The smallest schedule that still fails, by a literal rule of what fails."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from highwater.exploration.ground import QUORUM
from highwater.exploration.injections import Await, Inject
from highwater.exploration.moves import Cut, Lead, Mute, Prefer, Release, Send, Shrink
from highwater.exploration.quorums import Depose
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
        Step(Mute(1, after_records=True), waits=False),
        Step(Release("mute", 1, deliver=False)),
    )


def test_what_is_opened_and_released_goes_together() -> None:
    """A release alone changes nothing, and an opening alone would hide the loss."""
    opened, released = Step(Cut(3)), Step(Release("cut", 3, deliver=False))

    def fails(steps: Steps) -> bool:
        return in_order(SEND, LEAD)(steps) and (opened in steps) is (released in steps)

    assert Shrinking(fails).smallest([opened, SEND, released, LEAD]) == (SEND, LEAD)


def test_what_is_open_around_the_voters_is_of_no_broker() -> None:
    opened, released = Step(Depose()), Step(Release("depose", QUORUM, deliver=False))
    needed = in_kind(opened, SEND, Step(Cut(1)))

    def fails(steps: Steps) -> bool:
        return needed(steps) or (released in steps and needed((*steps[:-2], steps[-1])))

    assert Shrinking(fails).smallest([opened, SEND, released, Step(Cut(3))]) == (
        opened,
        SEND,
        Step(Cut(1)),
    )


@pytest.mark.parametrize("name", ["blind", "hold_isr", "withhold"])
def test_what_is_always_delivered_is_not_said_to_be_discarded(name: str) -> None:
    released = Step(Release(name, 1, deliver=True))

    assert Shrinking(lambda steps: len(steps) == 2).smallest([SEND, released]) == (SEND, released)


def in_kind(*needed: Step) -> Callable[[Steps], bool]:
    """These steps in order, whoever is who in them, but broker 1 is nobody but itself."""

    def fails(steps: Steps) -> bool:
        if len(steps) != len(needed):
            return False
        alike: dict[int, int] = {1: 1}
        for each, wanted in zip(steps, needed, strict=True):
            if not isinstance(each.move, type(wanted.move)):
                return False
            mine, its = getattr(each.move, "broker", 0), getattr(wanted.move, "broker", 0)
            if alike.setdefault(mine, its) != its:
                return False
        return len({*alike.values()}) == len(alike)

    return fails


def test_equal_stories_read_alike() -> None:
    one = [Step(Cut(2)), SEND, Step(Mute(3, after_records=True)), Step(Lead(2))]
    other = [Step(Cut(3)), SEND, Step(Mute(2, after_records=True)), Step(Lead(3))]
    fails = in_kind(*one)

    assert fails(tuple(other))
    assert Shrinking(fails).smallest(other) == Shrinking(fails).smallest(one) == tuple(one)


def test_brokers_are_one_and_two_where_it_is_all_the_same() -> None:
    def fails(steps: Steps) -> bool:
        return [each.move.name for each in steps] == ["cut", "lead", "release"]

    steps = [Step(Cut(3)), Step(Lead(2)), Step(Release("cut", 3, deliver=False), waits=False)]

    assert Shrinking(fails).smallest(steps) == (
        Step(Cut(1)),
        Step(Lead(2)),
        Step(Release("cut", 1, deliver=False)),
    )


def test_brokers_keep_their_numbers_where_another_one_does_not_fail() -> None:
    needed = (Step(Cut(3)), SEND, Step(Lead(2)))
    played: list[Steps] = []

    def fails(steps: Steps) -> bool:
        played.append(steps)
        return steps == needed

    assert Shrinking(fails).smallest(needed) == needed
    assert (Step(Cut(1)), SEND, Step(Lead(2))) in played
    assert (Step(Cut(2)), SEND, Step(Lead(3))) in played


def test_what_is_renamed_is_tried_again_with_less() -> None:
    """Only with these numbers a step more can be left out."""
    needed = (Step(Cut(2)), SEND)

    def fails(steps: Steps) -> bool:
        whole = [each.move.name for each in steps] == ["cut", "send", "shrink"]
        return whole or steps == needed

    steps = [Step(Cut(3)), SEND, Step(Shrink())]

    assert Shrinking(lambda each: fails(each) and Cut(1) != each[0].move).smallest(steps) == needed


@pytest.mark.parametrize(
    "step", [Step(Inject("Kill(broker=1)")), Step(Await(1, "1:1 2:1", "")), Step(Lead(4))]
)
def test_nobody_is_renamed_beside_what_has_brokers_in_words_or_is_of_another_cluster(
    step: Step,
) -> None:
    played: list[Steps] = []

    def fails(steps: Steps) -> bool:
        played.append(steps)
        return len(steps) == 2

    assert Shrinking(fails).smallest([Step(Cut(3)), step]) == (Step(Cut(3)), step)
    assert all(len(each) == 1 for each in played)


def test_when_the_time_is_over_the_smallest_by_then_is_kept() -> None:
    played: list[Steps] = []

    def fails(steps: Steps) -> bool:
        played.append(steps)
        return in_order(MUTE, LEAD)(steps)

    shrinking = Shrinking(fails, lambda: len(played) >= 2)
    small = shrinking.smallest([*NOISE, MUTE, *NOISE, LEAD, *NOISE])

    assert len(played) == 2
    assert small == min(filter(in_order(MUTE, LEAD), played), key=len)
    assert shrinking.is_cut_short


def test_what_was_small_in_time_was_not_cut_short() -> None:
    shrinking = Shrinking(in_order(MUTE, LEAD))

    shrinking.smallest([*NOISE, MUTE, LEAD])

    assert not shrinking.is_cut_short
