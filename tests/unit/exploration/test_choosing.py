"""What a strategy keeps of what it has seen, and goes on from."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.choosing import MOST_BEGINNINGS, Guided, Uniform
from highwater.exploration.findings import Finding
from highwater.exploration.ground import Ground
from highwater.exploration.moves import Cut, Lead, Release, Send
from highwater.exploration.proposals import GENTLE, MOVE_SETS, PROPOSALS, swarm
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.exploration.transacted import Transacted
from highwater.exploration.transacting import Arrive, End
from highwater.exploration.views import Promised, View
from highwater.harness.model import PartitionState

SEND, CUT = Step(Send(1, "all")), Step(Cut(2))


def a_round(*taken: Taken) -> Round:
    return Round(taken=taken, finding=Finding())


def a_view(in_danger: bool) -> View:
    """Where in danger, follower 3 is in sync without the record that was acknowledged."""
    logs = {1: ((0, 7, 0),), 2: ((0, 7, 0),), 3: () if in_danger else ((0, 7, 0),)}
    ends = {broker: len(log) for broker, log in logs.items()}
    return View(
        partition=PartitionState(1, 0, (1, 2, 3), (1, 2, 3)),
        ends=ends,
        marks=ends,
        logs=logs,
        promised=Promised(values=frozenset({7}), end_offset=1),
    )


def test_what_is_new_is_kept_up_to_the_nearest_to_a_loss_and_up_to_the_last() -> None:
    guided = Guided()

    news = guided.learn(
        a_round(Taken(SEND, (), ("a",), 0), Taken(CUT, (), ("b",), 2), Taken(SEND, (), ("c",), 1))
    )

    assert news == 3
    kept = {(tuple(each.steps), each.danger) for each in guided.beginnings}
    assert kept == {((SEND, CUT), 2), ((SEND, CUT, SEND), 1)}


def test_what_is_known_is_not_kept_again() -> None:
    guided = Guided()
    guided.learn(a_round(Taken(SEND, (), ("a",))))

    assert guided.learn(a_round(Taken(CUT, (), ("a",)))) == 0
    assert len(guided.beginnings) == 1


def test_of_very_many_beginnings_those_that_are_worth_most_are_kept() -> None:
    guided = Guided()
    for number in range(MOST_BEGINNINGS + 50):
        guided.learn(a_round(Taken(SEND, (), (str(number),), 3 if number % 100 == 7 else 0)))

    assert len(guided.beginnings) <= MOST_BEGINNINGS
    assert sum(each.danger == 3 for each in guided.beginnings) == (MOST_BEGINNINGS + 50) // 100 + 1


def test_what_is_nearer_to_a_loss_is_worth_more_and_less_the_more_often_it_was_picked() -> None:
    guided = Guided()
    guided.learn(a_round(Taken(SEND, (), ("a",), 0)))
    guided.learn(a_round(Taken(CUT, (), ("b",), 3)))
    far, near = guided.beginnings

    assert near.worth > far.worth
    near.picks = 100
    assert near.worth < far.worth


def test_who_would_lead_into_a_loss_is_elected_once_and_then_the_schedule_ends() -> None:
    guided, ground = Guided(), cast("Ground", SimpleNamespace())
    elected = 0
    for seed in range(50):
        guided.begin(random.Random(seed))
        guided._length = 0  # nothing else is to come
        if guided(0, ground, a_view(in_danger=True)) == Step(Lead(3)):
            elected += 1
            assert guided(1, ground, a_view(in_danger=True)) is None
        guided.begin(random.Random(seed))
        guided._length = 0
        assert guided(0, ground, a_view(in_danger=False)) is None

    assert 25 < elected < 50


def test_the_same_seed_and_the_same_replicas_bring_the_same_steps() -> None:
    cluster = SimpleNamespace(brokers=(1, 2, 3))
    there = SimpleNamespace(
        play=SimpleNamespace(cluster=cluster),
        links={},
        down={},
        frozen=[],
        kafka=SimpleNamespace(kraft=False),
    )
    ground = cast("Ground", there)

    def steps(seed: int) -> list[Step | None]:
        uniform = Uniform()
        uniform.begin(random.Random(seed))
        return [uniform(number, ground, a_view(in_danger=False)) for number in range(12)]

    assert steps(1) == steps(1)
    assert steps(1) != steps(2)
    assert steps(1)[-1] is None or len(steps(1)) == 12


def test_a_swarm_has_always_what_a_loss_needs() -> None:
    for seed in range(30):
        chosen = swarm(random.Random(seed), GENTLE)
        assert {"send all", "lead"} <= {*chosen} <= {*GENTLE}


@pytest.mark.parametrize("name", MOVE_SETS)
def test_each_weight_is_of_a_move_that_can_be_proposed(name: str) -> None:
    assert {*MOVE_SETS[name]} <= {*PROPOSALS}


def chosen(guided: Guided, view: View) -> Step | None:
    guided.begin(random.Random(1))
    guided.rng = random.Random(3)  # 0.24: less than ARRIVES
    return guided(4, cast("Ground", SimpleNamespace()), view)


def test_what_is_too_late_for_its_transaction_arrives_and_who_is_deceived_commits() -> None:
    late = Transacted(standings=((1, "ready"), (2, "new too late")), last_stable=1, mark=1)
    deceived = Transacted(standings=((1, "ready"), (2, "open")), last_stable=1, mark=1)
    calm = a_view(in_danger=False)

    assert chosen(Guided(), replace(calm, transacted=late)) == Step(Arrive(2))
    assert chosen(Guided(), replace(calm, transacted=deceived)) == Step(End(2, commit=True))


def test_an_old_marker_arrives_while_a_transaction_is_open_and_what_comes_of_it_is_confirmed() -> (
    None
):
    stray = Transacted(standings=((1, "open"),), last_stable=0, mark=1, delayed=(3,))
    deceived = Transacted(standings=((1, "open"),), last_stable=1, mark=1)
    calm, guided = a_view(in_danger=False), Guided()

    arrives = chosen(guided, replace(calm, transacted=stray))
    then = guided(5, cast("Ground", SimpleNamespace()), replace(calm, transacted=deceived))

    assert arrives == Step(Release("delay_marker", 3, deliver=False))
    assert then == Step(End(1, commit=True))


def test_what_arrives_late_takes_no_planned_steps_place() -> None:
    late = Transacted(standings=((1, "ready"), (2, "new too late")), last_stable=1, mark=1)
    calm, guided = a_view(in_danger=False), Guided()
    guided.begin(random.Random(1))
    guided._prefix, guided._length = [SEND, CUT], 2
    guided.rng = random.Random(3)  # 0.24: less than ARRIVES
    ground = cast("Ground", SimpleNamespace())

    taken = [guided(0, ground, replace(calm, transacted=late))]
    taken += [guided(number, ground, calm) for number in (1, 2, 3)]

    assert taken == [Step(Arrive(2)), SEND, CUT, None]
