"""A nemesis that goes by the clock, and a mixture that goes by what each strategy has brought."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.exploration.test_choosing import a_view
from typer.testing import CliRunner

from highwater.cli import app
from highwater.exploration.findings import Finding
from highwater.exploration.ground import Ground
from highwater.exploration.mixing import Mixed
from highwater.exploration.moves import Cut
from highwater.exploration.nemesis import STORM_MS, Nemesis
from highwater.exploration.proposals import GENTLE, MOVE_SETS, ROUGH
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.exploration.storms import Idle, Pour
from highwater.exploration.strategies import STRATEGIES
from highwater.harness.errors import UsageError

CLUSTER = SimpleNamespace(brokers=(1, 2, 3))
GROUND = cast(
    "Ground",
    SimpleNamespace(
        play=SimpleNamespace(cluster=CLUSTER), links={}, down={}, frozen=[], pouring=[]
    ),
)
CUT = Step(Cut(2))


def storm(nemesis: Nemesis, seed: int) -> list[Step]:
    nemesis.begin(random.Random(seed))
    steps: list[Step] = []
    while (step := nemesis(len(steps), GROUND, a_view(in_danger=False))) is not None:
        steps.append(step)
    return steps


def a_round(by: str, *states: str, danger: int = 0, seconds: float = 1.0) -> Round:
    taken = [Taken(CUT, (), (state,), danger) for state in states]
    return Round(taken=taken, finding=Finding(), seconds=seconds, by=by)


def test_a_storm_sends_all_the_time_and_hits_at_times_that_its_seed_says() -> None:
    steps = storm(Nemesis(GENTLE), 1)

    assert steps[0].move == Pour(10)
    idle = [step.move.wait_ms for step in steps if isinstance(step.move, Idle)]
    assert STORM_MS <= sum(idle) < STORM_MS + 800
    assert not any(step.waits for step in steps)
    assert {step.move.name for step in steps} == {"pour", "idle", "isolate", "lead"}
    assert storm(Nemesis(GENTLE), 1) == steps != storm(Nemesis(GENTLE), 2)


def test_nobody_dies_in_a_storm_but_where_the_moves_have_it() -> None:
    gentle, rough = (
        {step.move.name for seed in range(30) for step in storm(Nemesis(weights), seed)}
        for weights in (GENTLE, ROUGH)
    )

    assert rough - gentle == {"kill", "stop", "freeze"}


def test_a_storm_among_voters_hits_these_too() -> None:
    weights = MOVE_SETS["quorum"]

    assert {"depose", "kill voter"} <= {*Nemesis(weights)._faults} & {*weights}


def test_who_comes_near_to_a_loss_in_new_ways_is_asked_more_often() -> None:
    mixed, asked = Mixed(GENTLE), Counter[str]()
    for number in range(300):
        mixed.begin(random.Random(number))
        asked[mixed.chosen] += 1
        pays = mixed.chosen == "nemesis"
        mixed.learn(a_round(mixed.chosen, str(number), danger=3 if pays else 0))

    assert asked["nemesis"] > 250
    assert min(asked[name] for name in ("guided", "uniform")) > 0


@pytest.mark.parametrize("seed", range(8))
def test_each_is_tried_before_one_is_preferred(seed: int) -> None:
    mixed, asked = Mixed(GENTLE), set[str]()
    for number in range(3):
        mixed.begin(random.Random(f"{seed}-{number}"))
        asked.add(mixed.chosen)
        taken = [a_round(mixed.chosen, f"{number}-{each}", danger=2).taken[0] for each in range(9)]
        mixed.learn(replace(a_round(mixed.chosen, "", danger=0), taken=taken, seconds=10.0))

    assert asked == {"guided", "uniform", "nemesis"}


def test_what_is_known_already_pays_nothing_and_neither_does_what_is_far_from_a_loss() -> None:
    mixed = Mixed(GENTLE)

    mixed.learn(a_round("uniform", "a", danger=2))
    mixed.learn(a_round("nemesis", "a", danger=2))
    mixed.learn(a_round("guided", "b", danger=0))

    gains = {name: purse.gains > 0 for name, purse in mixed.purses.items()}
    assert gains == {"uniform": True, "nemesis": False, "guided": False}


def test_a_strategy_that_takes_many_steps_has_to_bring_more() -> None:
    mixed = Mixed(GENTLE)
    for number in range(60):
        mixed.learn(a_round("guided", f"a{number}", danger=1))
        mixed.learn(a_round("nemesis", *[f"b{number}"] * 20, danger=1))

    rng = random.Random(1)
    drawn = [
        mixed.purses["guided"].drawn(rng) > mixed.purses["nemesis"].drawn(rng) for _ in "x" * 50
    ]
    assert sum(drawn) > 45


def test_how_long_a_schedule_took_decides_nothing() -> None:
    """Otherwise two searches of one seed would part though all states are the same."""

    def asked(seconds: float) -> list[str]:
        mixed, names = Mixed(GENTLE), list[str]()
        for number in range(40):
            mixed.begin(random.Random(number))
            names.append(mixed.chosen)
            mixed.learn(a_round(mixed.chosen, f"{number % 7}", danger=1, seconds=seconds * number))
        return names

    assert asked(0.1) == asked(30.0)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_says_its_name(name: str) -> None:
    strategy = STRATEGIES[name](GENTLE)
    strategy.begin(random.Random(1))

    assert strategy.name == name
    assert strategy.chosen in STRATEGIES


@pytest.mark.parametrize("by", ["", "lottery"])
def test_who_played_an_older_schedule_may_not_be_known(by: str) -> None:
    """The log of a search that goes on may lack the strategy, or name one that is no more."""
    mixed = Mixed(GENTLE)

    assert mixed.learn(a_round(by, "a", danger=2)) == 1

    assert not any(purse.gains or purse.steps for purse in mixed.purses.values())
    mixed.learn(a_round("uniform", "a", danger=2))
    assert mixed.purses["uniform"].gains == 0


@pytest.mark.parametrize("moves", MOVE_SETS)
def test_a_nemesis_is_refused_where_what_is_searched_among_is_no_send(
    tmp_path: Path, moves: str
) -> None:
    """It would send records all the time, none of them in a transaction, and commit nothing."""
    numbered = {"idempotent", "transactions", "rough-transactions"}
    none = {*numbered, "groups", "members", "pipelines"}
    sends = moves not in none
    out = tmp_path / "out"
    out.write_text("no directory: nothing is ever played here")
    words = ["explore", "-k", "3.3.2", "--strategy", "nemesis", "--moves", moves, "-o", str(out)]

    shown = CliRunner().invoke(app, words)

    assert isinstance(shown.exception, UsageError)
    refused = f"a nemesis sends records in requests of their own, and {moves} moves none"
    why = f"cannot write to {out}" if sends else refused
    assert why in str(shown.exception)
    assert ("nemesis" in Mixed(MOVE_SETS[moves]).purses) is sends
