"""What is left to play of a campaign, by what it has recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from highwater.campaign import Campaign, carry_out, missing
from highwater.cells import make_cells
from highwater.exploration.files import read_schedule
from highwater.exploration.scenarios import as_scenario
from highwater.harness.errors import UsageError
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka
from highwater.identity import of_cell
from highwater.scenarios.catalogue import find_scenario

SCHEDULES = Path(__file__).parents[2] / "schedules"


def campaign(out: Path, *, trials: int, reruns: int) -> Campaign:
    cells = make_cells([find_scenario("hw-two-fetches")], [find_kafka("2.8.2")], [])
    return Campaign(cells=cells, trials=trials, reruns=reruns, out=out, workshop=out, runtimes={})


def left(out: Path, *, reruns: int) -> list[int]:
    groups = missing(campaign(out, trials=2, reruns=reruns))
    return [number for group in groups for _, number in group]


def play(out: Path, number: int, *, complete: bool) -> None:
    path = out / "runs" / "hw-two-fetches" / "2.8.2" / str(number)
    with RunRecord(path, {"topic": "t"}) as record:
        record.end({"complete": complete, "reason": None, "seconds": 1.0})


def test_without_reruns_what_is_recorded_is_not_played_again_whatever_it_proves(
    tmp_path: Path,
) -> None:
    assert left(tmp_path, reruns=0) == [1, 2]

    play(tmp_path, 1, complete=False)

    assert left(tmp_path, reruns=0) == [2]


def test_each_trial_that_is_not_complete_is_played_again_until_there_are_no_more_reruns(
    tmp_path: Path,
) -> None:
    assert left(tmp_path, reruns=2) == [1, 2]

    play(tmp_path, 1, complete=True)
    play(tmp_path, 2, complete=False)
    assert left(tmp_path, reruns=2) == [3]

    play(tmp_path, 3, complete=False)
    assert left(tmp_path, reruns=2) == [4]

    play(tmp_path, 4, complete=False)
    assert left(tmp_path, reruns=2) == []


def test_shards_share_clusters_so_that_each_plays_about_as_much(tmp_path: Path) -> None:
    """One cluster with two cells, and two with one: not three trials here and one there."""
    both = [find_scenario(name) for name in ("placed-by-chance", "who-deals")]
    kafkas = [find_kafka(name) for name in ("2.8.2", "3.9.1", "4.1.1")]
    cells = make_cells(both, kafkas[:1], []) + make_cells(both[:1], kafkas[1:], [])
    whole = campaign(tmp_path, trials=1, reruns=0)
    shards = [replace(whole, cells=cells, shard=(place, 2)) for place in (1, 2)]

    played = [[cell for group in missing(each) for cell, _ in group] for each in shards]

    assert [len(mine) for mine in played] == [2, 2]
    assert {id(cell) for mine in played for cell in mine} == {id(cell) for cell in cells}


def test_what_was_played_by_another_schedule_is_not_taken_for_what_is_asked(
    tmp_path: Path,
) -> None:
    """The file is called as before, and says something else."""
    (cell,) = campaign(tmp_path, trials=1, reruns=0).cells
    schedule = read_schedule(SCHEDULES / "stale_position.json")
    cells = [
        replace(cell, scenario=as_scenario("mine", replace(schedule, steps=schedule.steps[from_:])))
        for from_ in (0, 1)
    ]
    path = tmp_path / "runs" / "mine" / "2.8.2" / "1"
    with RunRecord(path, of_cell(cells[0], 1).described({})) as record:
        record.end({"complete": True, "reason": None, "seconds": 1.0})

    with pytest.raises(UsageError, match=r"was played with other story: .*another --out"):
        carry_out(replace(campaign(tmp_path, trials=1, reruns=0), cells=cells[1:]))


@pytest.mark.parametrize("other", ["settings", "topic_settings", "features", "upgrades_to"])
def test_what_was_played_with_other_settings_is_not_taken_for_what_is_asked(
    tmp_path: Path, other: str
) -> None:
    asked = campaign(tmp_path, trials=1, reruns=0)
    (cell,) = asked.cells
    identity = of_cell(cell, 1).described({})
    before = {"upgrades_to": "3.9.1"}.get(other, {"min.insync.replicas": "3"})
    path = tmp_path / "runs" / "hw-two-fetches" / "2.8.2" / "1"
    with RunRecord(path, {**identity, other: before}) as record:
        record.end({"complete": True, "reason": None, "seconds": 1.0})

    with pytest.raises(UsageError, match=f"was played with other {other}: .*another --out"):
        carry_out(asked)
