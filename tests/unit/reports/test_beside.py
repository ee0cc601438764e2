"""Two runs side by side: aligned by what was done, parted by what came of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from highwater.harness.record.reader import find_runs
from highwater.reports.beside import MOST_ROWS, Pair, aligned, pairs
from highwater.reports.exhibit import Exhibit, exhibit
from highwater.reports.plays import Moment


def _exhibits(kip101: ModuleType, root: Path, *trials: object) -> list[Exhibit]:
    for trial in trials:
        kip101.write(root, trial)
    return [exhibit(run, root, brief=False) for run in find_runs(root)]


def _pair(kip101: ModuleType, root: Path) -> Pair:
    clean = kip101.Trial(kafka="0.11.0.3", loses=False)
    (found,) = pairs(_exhibits(kip101, root, clean, kip101.Trial()))
    return found


def test_a_loss_and_a_clean_run_part_where_the_log_is_cut(
    kip101: ModuleType, tmp_path: Path
) -> None:
    pair = _pair(kip101, tmp_path)

    assert pair.names == ("0.10.2.2", "0.11.0.3")
    assert pair.parting is not None
    parted = pair.steps[pair.parting]
    assert parted.words == "broker 3 cuts its log"
    assert parted.one is not None
    assert parted.one.outcome == "to offset 1, 10 acknowledged offsets cut off"
    assert parted.other is None


def test_before_they_part_the_steps_are_the_same(kip101: ModuleType, tmp_path: Path) -> None:
    pair = _pair(kip101, tmp_path)

    before = pair.steps[: pair.parting]

    assert len(before) > 5
    assert all(step.one and step.other and not step.differs for step in before)
    assert pair.steps[-1].words == "the final read"
    assert pair.steps[-1].differs


def test_runs_that_ended_alike_are_not_laid_beside_one_another(
    kip101: ModuleType, tmp_path: Path
) -> None:
    both = _exhibits(kip101, tmp_path, kip101.Trial(), kip101.Trial(kafka="0.10.1.1"))

    assert pairs(both) == []


def test_records_that_do_not_say_what_was_played_are_left_alone(
    kip101: ModuleType, tmp_path: Path
) -> None:
    clean = kip101.Trial(kafka="0.11.0.3", loses=False)
    both = _exhibits(kip101, tmp_path, kip101.Trial(), clean)

    assert pairs([replace(each, identity={"kafka": "1"}) for each in both]) == []


@pytest.mark.parametrize(
    ("mine", "theirs", "differs"),
    [
        ({"ends": {"1": 5}}, {"ends": {"1": 5, "2": 7}}, False),  # 2 did not answer
        ({"ends": {"1": 5}}, {"ends": {"1": 6}}, True),
        ({"ends": {"1": 5}}, {}, False),
        ({"marks": {"1": 5}}, {"marks": {"1": 4}}, False),  # it may just be late
        ({"led": "1 leads"}, {"led": "2 leads"}, True),
        ({"led": "1 leads"}, {}, False),
        ({"outcome": "5 acknowledged"}, {"outcome": "4 acknowledged"}, True),
    ],
)
def test_a_step_differs_in_what_both_know(
    mine: dict[str, object], theirs: dict[str, object], *, differs: bool
) -> None:
    one, other = Moment("a look", 1), Moment("a look", 9)

    (step,) = aligned([replace(one, **mine)], [replace(other, **theirs)])  # type: ignore[arg-type]

    assert step.differs == differs


def test_a_step_that_only_one_took_stands_in_a_row_of_its_own() -> None:
    one = [Moment("a", 1), Moment("b", 2), Moment("c", 3)]
    other = [Moment("a", 1), Moment("c", 2)]

    steps = list(aligned(one, other))

    assert [(step.words, bool(step.one), bool(step.other)) for step in steps] == [
        ("a", True, True),
        ("b", True, False),
        ("c", True, True),
    ]
    assert not any(step.differs for step in steps)


def test_of_long_plays_what_stands_around_the_parting_is_shown(
    kip101: ModuleType, tmp_path: Path
) -> None:
    clean = kip101.Trial(kafka="0.11.0.3", loses=False)
    both = _exhibits(kip101, tmp_path, kip101.Trial(), clean)
    early = [Moment(f"step {number}", number) for number in range(200)]
    longer = [
        replace(each, charts=replace(each.charts, moments=[*early, *each.charts.moments]))
        for each in both
        if each.charts
    ]

    (pair,) = pairs(longer)

    assert len(pair.steps) == MOST_ROWS
    assert pair.left_out > 100
    assert pair.parting is not None
    assert pair.steps[pair.parting].differs
