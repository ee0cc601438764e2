"""How a schedule is made small where plays are literal: what is kept, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut, Lead, Send
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.exploration.walk import Chooser
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import TRIES, Rounds
from highwater.shrunk import AGAIN, Shrunk, shrunk

CUT, SEND, LEAD = Step(Cut(2)), Step(Send(1, "all")), Step(Lead(3))
LOST = Finding(("lost-write",), "a record is gone")
NOTHING, HUNG = Finding(), Finding(("hanging-transaction",), "something hangs")
WHOLE = Schedule(
    kafka="0.10.2.2", steps=[Taken(each) for each in (CUT, SEND, CUT, LEAD)], origin={"seed": 7}
)


class Literal(Rounds):
    """Plays what it is given in no time; `loses` says of which steps, and at which play.

    What else is found of steps without a loss is `other`.
    """

    def __init__(
        self, loses: Callable[[Sequence[Step], int], bool], other: Finding = NOTHING
    ) -> None:
        self._other = other
        self.kafka, self.played, self.loses_clusters = find_kafka("0.10.2.2"), 0, False
        self._loses = loses

    def play(self, choose: Chooser) -> Round:
        self.played += 1
        steps: list[Step] = []
        nobody = cast("Any", None)
        while (step := choose(len(steps), nobody, nobody)) is not None:
            steps.append(step)
        lost = self._loses(steps, self.played)
        return Round(taken=[Taken(each) for each in steps], finding=LOST if lost else self._other)


def test_the_small_one_says_how_it_came_about() -> None:
    told = shrunk(Literal(lambda steps, _: LEAD in steps), WHOLE, 60.0)

    assert [each.step for each in told.schedule.steps] == [LEAD]
    shrinking = told.schedule.origin["shrinking"]
    assert {**told.schedule.origin, "shrinking": None} == {
        "seed": 7, "hits": AGAIN, "plays": AGAIN, "shrinking": None,
    }  # fmt: skip
    assert (shrinking["steps_before"], shrinking["cut_short"]) == (4, False)
    assert shrinking["plays"] == told.plays >= 4


def test_without_time_the_whole_one_is_kept_and_that_is_said() -> None:
    told = shrunk(Literal(lambda steps, _: LEAD in steps), WHOLE, 0.0)

    assert [each.step for each in told.schedule.steps] == [CUT, SEND, CUT, LEAD]
    assert told.schedule.origin["shrinking"]["cut_short"]
    assert "the time for that was over, and less may do" in told.told


def test_a_race_that_never_comes_again_leaves_the_whole_one() -> None:
    told = shrunk(Literal(lambda _, number: number < 5), WHOLE, 60.0)

    assert (told.steps, told.hits, told.schedule.steps) == (2, 0, WHOLE.steps)
    assert (told.schedule.origin["hits"], told.schedule.origin["plays"]) == (0, AGAIN)
    assert told.schedule.origin["shrinking"]["steps_before"] == 4
    assert "shows it in 0 of 10 plays, and the whole one is kept" in told.told


@pytest.mark.parametrize("claims", [("lost-write",), ("lost-write", "unseen"), ()])
def test_what_shows_another_thing_is_not_the_same_made_small(claims: tuple[str, ...]) -> None:
    """Without the last step something else comes about, each time, and of fewer steps."""
    rounds = Literal(lambda steps, _: LEAD in steps and CUT in steps, HUNG)

    told = shrunk(rounds, replace(WHOLE, claims=claims), 60.0)

    assert [each.step for each in told.schedule.steps] == [CUT, LEAD]
    assert (told.schedule.claims, told.hits) == (("lost-write",), AGAIN)


def test_a_play_that_shows_another_thing_is_no_hit() -> None:
    rounds = Literal(lambda _, number: number <= TRIES or number % 2 == 0, HUNG)

    told = shrunk(rounds, replace(WHOLE, claims=("lost-write",)), 0.0)

    assert told.hits == AGAIN // 2
    assert told.schedule.claims == ("lost-write",)


def test_what_the_whole_one_shows_on_another_kafka_is_made_small_there() -> None:
    rounds = Literal(lambda _, __: False, HUNG)

    told = shrunk(rounds, replace(WHOLE, claims=("lost-write",)), 60.0)

    assert len(told.schedule.steps) == 1
    assert told.schedule.claims == ("hanging-transaction",)


@pytest.mark.parametrize(
    ("cut_short", "ended"), [(True, "; the time for that was over"), (False, "")]
)
def test_what_is_said(cut_short: bool, ended: str) -> None:
    told = Shrunk(
        schedule=WHOLE, hits=8, steps_before=9, steps=4, plays=40, seconds=91.6,
        is_cut_short=cut_short,
    )  # fmt: skip

    assert told.told.startswith(f"9 steps became 4 in 40 plays and 92 s{ended}")
    assert told.told.endswith("shows it in 8 of 10 plays: " + WHOLE.story)
