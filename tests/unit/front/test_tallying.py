"""How far a search is: the same words for every strategy, and after it was gone on with."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.front.test_schedules import LOG, a_search

from highwater.exploration.choosing import Guided, Strategy
from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut
from highwater.exploration.proposals import GENTLE
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.exploration.strategies import STRATEGIES
from highwater.exploring import Explorer
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.replaying import _require_shown, beside
from highwater.rounds import Rounds
from highwater.search_log import append, row_of
from highwater.shrunk import AGAIN
from highwater.tallying import Tally, resident_mib


def a_round(*states: str, danger: int = 0) -> Round:
    """From the first of these states to the last."""
    taken = [Taken(Step(Cut(2)), (one,), (next_one,), danger) for one, next_one in pairwise(states)]
    return Round(taken=taken, finding=Finding(), by="uniform")


PLAYED = a_round("a", "b")
FOUND = replace(PLAYED, finding=Finding(("lost-write",), "one is gone"))
IDLE = Round(taken=(), finding=Finding(told="it broke", is_settled=False))


def an_explorer(out: Path, strategy: str, rounds: Sequence[Round] = ()) -> Explorer:
    ahead = list(rounds)
    played = SimpleNamespace(clusters=2, play_by=lambda *_: ahead.pop(0))
    kafka = find_kafka("4.1.1")
    return Explorer(a_search(), kafka, out, cast("Rounds", played), STRATEGIES[strategy](GENTLE))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_states_are_counted_once_whatever_the_strategy_and_after_it_was_ended(
    tmp_path: Path, strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    append(tmp_path, row_of(1, a_round("a", "b", "a"), 0, 90.0))
    append(tmp_path, row_of(2, a_round("a", "c"), 0, 90.0))
    explorer = an_explorer(tmp_path, strategy, [a_round("a", "d", "b", danger=2)])

    explorer.resume()
    explorer._one()

    assert explorer.progress(12.4) == (
        "4.1.1: 3 schedules, 12 a minute; 4 states; by danger {2: 1}; 0 found"
    )
    assert explorer.ending.startswith(
        "schedules: 3, 2 of them before, states: 4, clusters now: 2, found: 0; memory of"
    )
    told = capsys.readouterr().err.replace("\n", " ")
    assert "is gone on with: 2 schedules, 3 states and 0 found are there" in told


def test_a_search_that_begins_goes_on_with_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explorer = an_explorer(tmp_path, "uniform", [a_round("a", "b")])

    explorer.resume()
    explorer._one()

    assert explorer.ending.startswith("schedules: 1, states: 2, clusters: 2, found: 0; memory of")
    assert capsys.readouterr().err == ""


def test_a_step_without_states_is_in_none() -> None:
    tally = Tally()

    tally.know(Round(taken=[Taken(Step(Cut(2)))], finding=Finding()))

    assert tally.states == set()


def test_each_row_says_what_the_harness_has_in_memory(tmp_path: Path) -> None:
    explorer = an_explorer(tmp_path, "uniform", [a_round("a", "b")])

    explorer._one()

    (line,) = (tmp_path / LOG).read_text(encoding="utf-8").splitlines()
    assert 10 < json.loads(line)["resident_mib"] < 10_000


def test_memory_that_is_given_back_is_no_longer_resident() -> None:
    """The most that there has ever been would say nothing of whether it is flat."""
    before = resident_mib()
    held = bytearray(200 * 2**20)
    held[::4096] = b"x" * len(held[::4096])  # pages that are not touched are not there
    during = resident_mib()
    del held

    assert during - before > 150
    assert during - resident_mib() > 150


def test_the_end_says_the_first_and_the_most_memory() -> None:
    tally = Tally()
    assert tally.told_of_memory == ""

    for mib in (180.4, 210.6, 190.0):
        tally.add(a_round("a", "b"), mib)

    assert tally.told_of_memory == (
        "; memory of the harness: 180 MiB after the first schedule, 211 MiB at most"
    )


def test_rows_that_say_nothing_of_memory_are_read(tmp_path: Path) -> None:
    row = {**row_of(1, a_round("a", "b"), 0, 1.0)}
    del row["resident_mib"]
    append(tmp_path, row)
    explorer = an_explorer(tmp_path, "guided")

    explorer.resume()

    assert (explorer.count, len(explorer.tally.states)) == (1, 2)


def test_a_part_of_a_search_draws_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has learned from the other parts by then, and would draw something else."""
    search = a_search(shard="1/2")
    append(tmp_path, row_of(1, a_round("a", "b", danger=1), 0, 1.0), search.part)
    guided, begun = Guided(), list[object]()
    monkeypatch.setattr(guided, "begin", begun.append)

    Explorer(search, find_kafka("4.1.1"), tmp_path, cast("Rounds", None), guided).resume()

    assert begun == []


def test_a_search_that_goes_on_knows_what_it_went_on_from_before(tmp_path: Path) -> None:
    """What is worth less each time that it is picked would be worth as much as at first."""
    ahead = [a_round("a", str(number), danger=1) for number in range(30)]

    def play_by(strategy: Strategy, rng: random.Random) -> Round:
        strategy.begin(rng)
        return ahead.pop(0)

    picks = []
    for _ in range(2):
        guided, rounds = Guided(), SimpleNamespace(play_by=play_by)
        kafka = find_kafka("4.1.1")
        explorer = Explorer(a_search(), kafka, tmp_path, cast("Rounds", rounds), guided)
        explorer.resume()
        while ahead:
            explorer._one()
        picks.append([each.picks for each in guided.beginnings])

    assert picks[0] == picks[1]
    assert sum(picks[0]) > 10


def test_the_rate_is_of_schedules_and_not_of_what_made_one_small(tmp_path: Path) -> None:
    explorer = an_explorer(tmp_path, "uniform", [a_round("a", str(each)) for each in range(40)])
    for _ in range(40):
        explorer._one()
    explorer.rounds.played = 90
    explorer.kept_s = 240.0

    assert explorer.rate(300.0) == pytest.approx(40.0)


def test_what_was_found_is_made_small_on_time_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 340.0])
    monkeypatch.setattr("highwater.exploring.time.monotonic", lambda: next(clock))
    monkeypatch.setattr(Explorer, "_keep", lambda *_: None)
    lost = replace(a_round("a", "b"), finding=Finding(("lost-write",), "one is gone"))
    explorer = an_explorer(tmp_path, "uniform", [lost])

    explorer._one()

    assert (explorer.found, explorer.kept_s) == (1, 240.0)


def test_a_search_in_which_no_step_was_taken_has_searched_nothing(tmp_path: Path) -> None:
    broken = Round(taken=(), finding=Finding(told="no topic can be made", is_settled=False))
    explorer = an_explorer(tmp_path, "uniform", [broken] * 100_000)
    object.__setattr__(explorer.search, "budget_s", 1.0)

    with pytest.raises(InfrastructureError, match=r"saw none in \d+ .* says: no topic can be made"):
        explorer.run()


@pytest.mark.parametrize(
    ("rounds", "error", "told"),
    [
        ([PLAYED] * AGAIN, UsageError, "nothing is lost here in 10 plays: nothing to shrink"),
        ([IDLE] * AGAIN, InfrastructureError, "no step could be taken here in 10 plays: it broke"),
        ([*[IDLE] * (AGAIN - 1), PLAYED], UsageError, "nothing is lost here in 10 plays"),
        ([*[PLAYED] * (AGAIN - 1), FOUND], None, ""),
    ],
)
def test_a_race_has_ten_tries_before_there_is_nothing_to_shrink(
    rounds: list[Round], error: type[Exception] | None, told: str
) -> None:
    ahead = list(rounds)
    there = cast("Rounds", SimpleNamespace(play=lambda _: ahead.pop(0)))
    with pytest.raises(error, match=told) if error else nullcontext():
        _require_shown(there, [Step(Cut(2))], "here")

    assert ahead == []


def test_releases_beside_one_have_its_mode() -> None:
    def names(kafka: str) -> list[str]:
        return [each.name for each in beside(find_kafka(kafka))]

    assert names("0.10.2.2") == ["0.10.2.1", "0.10.2.2", "0.11.0.0"]
    assert names("0.10.0.0") == ["0.10.0.0", "0.10.0.1"]
    assert all(name.endswith("-zk") for name in names("3.9.1-zk"))
