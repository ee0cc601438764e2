"""Every checker finds what was planted, at its place, and reports nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.garden import Garden, clean
from tests.planted import PLANTS

from highwater.checkers.catalogue import claims
from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import open_run

pytestmark = pytest.mark.spark

FEW = 6  # records of each kind
DEALT = 10  # times all kinds, dealt to records
EACH_ROUND, ROUNDS, PARTS = 25, 4, 10  # a thousand of each kind
TOGETHER = 8  # kinds in a record


def test_there_is_a_plant_for_every_claim() -> None:
    assert set(PLANTS) == {claim.name for claim in claims()}


def _judged(gardens: list[Garden], place: Path) -> list[tuple[Garden, list[Verdict]]]:
    for number, garden in enumerate(gardens):
        garden.write(place / str(number))
    runs = [open_run(place / str(number)) for number in range(len(gardens))]
    said = judge(runs)
    assert [line for run in runs for line in disagreements(run, said[run.path])] == []
    return [(garden, said[run.path]) for garden, run in zip(gardens, runs, strict=True)]


def _check(garden: Garden, verdicts: list[Verdict]) -> None:
    violated = {one.claim: one for one in verdicts if one.answer is Answer.VIOLATED}
    assert set(violated) == set(garden.planted)
    for claim, places in garden.planted.items():
        assert violated[claim].anomalies == len(places), violated[claim]
        for place in places:
            assert any(place.items() <= dict(w).items() for w in violated[claim].witnesses), place
    # Of what was lost nobody knows whether it was there for a group to be handed.
    also = {"stuck-group"} if "lost-write" in garden.planted else set()
    unknown = {one.claim for one in verdicts if one.answer is Answer.UNKNOWN}
    assert unknown <= {*garden.planted, *also}


def test_nothing_is_found_where_nothing_was_planted(tmp_path: Path) -> None:
    gardens = [clean(size, parts) for size in (1, 5, 40) for parts in (1, 3)]

    for garden, verdicts in _judged(gardens, tmp_path):
        _check(garden, verdicts)
        assert {one.answer for one in verdicts} == {Answer.HELD}


@pytest.mark.on_demand
def test_what_was_planted_is_found_and_nothing_else(tmp_path: Path) -> None:
    gardens = []
    for number in range(FEW):
        for name, plant in PLANTS.items():
            gardens.append(clean(8 + number % 50, 1 + number % 3, seed=number))
            plant(gardens[-1])
            assert name in gardens[-1].planted

    for garden, verdicts in _judged(gardens, tmp_path):
        _check(garden, verdicts)


@pytest.mark.on_demand
def test_all_kinds_are_found_beside_one_another(tmp_path: Path) -> None:
    gardens = [each for seed in range(DEALT) for each in _dealt(seed)]

    for garden, verdicts in _judged(gardens, tmp_path):
        _check(garden, verdicts)


@pytest.mark.on_demand
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_records_of_each_kind(part: int, tmp_path: Path) -> None:
    for round_ in range(part * ROUNDS, (part + 1) * ROUNDS):
        gardens = [
            each for seed in range(EACH_ROUND) for each in _dealt(EACH_ROUND * round_ + seed)
        ]
        for garden, verdicts in _judged(gardens, tmp_path / str(round_)):
            _check(garden, verdicts)


def _dealt(seed: int) -> list[Garden]:
    """Records that have every kind between them."""
    kinds = random.Random(seed).sample(sorted(PLANTS), len(PLANTS))
    gardens = []
    for start in range(0, len(kinds), TOGETHER):
        gardens.append(clean(40 + seed % 50, 1 + seed % 3, seed=seed))
        for kind in kinds[start : start + TOGETHER]:
            PLANTS[kind](gardens[-1])
    return gardens


@pytest.mark.on_demand
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("records", [1_000_000, 22_000_000])
def test_what_was_planted_in_a_long_record_is_found(records: int, tmp_path: Path) -> None:
    garden = clean(records // 4, 4, seed=records, beds=len(PLANTS))
    for plant in PLANTS.values():
        plant(garden)
    garden.write(tmp_path / "planted")
    run = open_run(tmp_path / "planted")

    _check(garden, judge([run])[run.path])


BEDS = st.tuples(
    st.integers(30, 60),  # room for all plants of a bed
    st.integers(1, 4),
    st.integers(0, 2**31),
    st.lists(st.sampled_from(sorted(PLANTS)), unique=True, max_size=4),
)


@settings(
    max_examples=3, deadline=None, phases=[Phase.generate]
)  # Spark's cost is in the number of judgements
@given(beds=st.lists(BEDS, min_size=10, max_size=20))
def test_several_kinds_in_one_record_do_not_hide_one_another(
    beds: list[tuple[int, int, int, list[str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    gardens = []
    for size, partitions, seed, kinds in beds:
        gardens.append(clean(size, partitions, seed=seed))
        for kind in kinds:
            PLANTS[kind](gardens[-1])

    for garden, verdicts in _judged(gardens, tmp_path_factory.mktemp("planted")):
        _check(garden, verdicts)
