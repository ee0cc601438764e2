"""Replicas through time: what the slider has at each of its places."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from highwater.harness.record.reader import find_runs
from highwater.reports.axis import time_axis
from highwater.reports.contents import load
from highwater.reports.grid import grid
from highwater.reports.holdings import all_holdings
from highwater.reports.samples import Sample, changes
from highwater.reports.scrub import MOST_CHANGES, Replica, Scrub, scrub
from highwater.reports.story import Sentence


def _scrub(kip101: ModuleType, root: Path, looks: list[Sample] | None = None) -> Scrub:
    kip101.write(root, kip101.Trial())
    (run,) = find_runs(root)
    contents = load(run)
    shown = grid(all_holdings(contents)[0])
    told = [Sentence(7_450_000_000, "cut", "Broker 3 cut its log.", 1)]
    axis = time_axis([0, contents.end_ns])
    found = scrub(changes(contents, ("t", 0)) if looks is None else looks, shown, told, axis)
    assert found is not None
    return found


def _at(found: Scrub, ms: float) -> Any:
    return next(each for each in json.loads(found.data)["moments"] if each[0] == ms)


def test_at_each_moment_stands_what_looks_had_seen_by_then(
    kip101: ModuleType, tmp_path: Path
) -> None:
    found = _scrub(kip101, tmp_path)

    before, after = _at(found, 7410), _at(found, 7460)
    assert before[2] == [[None, None], [11, 1], [11, 1]]
    assert before[3] == "broker 2 leads, epoch 1; ISR 2, 3"
    assert after[2] == [[None, None], [11, 1], [1, 1]]
    assert before[1] < after[1]


def test_the_sentences_of_the_story_are_places_of_the_slider(
    kip101: ModuleType, tmp_path: Path
) -> None:
    found = _scrub(kip101, tmp_path)

    assert _at(found, 7450)[2] == [[None, None], [11, 1], [11, 1]]
    assert json.loads(found.data)["told"] == [[7450, "Broker 3 cut its log."]]


def test_without_scripts_the_last_moment_stands_there(kip101: ModuleType, tmp_path: Path) -> None:
    found = _scrub(kip101, tmp_path)

    assert found.replicas == [Replica(broker, 1, 1) for broker in (1, 2, 3)]
    assert found.leader == "broker 3 leads, epoch 2; ISR 3"


def test_of_a_long_run_as_many_changes_are_kept_as_one_can_move_through(
    kip101: ModuleType, tmp_path: Path
) -> None:
    looks = [
        Sample(number * 1_000_000, number * 1_000_000, 1, number, number, 1, 0, "1")
        for number in range(100_000)
    ]

    found = _scrub(kip101, tmp_path, looks)

    assert found.steps <= MOST_CHANGES + 3
    assert len(found.data) < 10_000


@pytest.mark.parametrize(
    ("end", "mark", "kinds"),
    [
        (3, 2, ["known", "held", "beyond"]),
        (3, None, ["held", "held", "beyond"]),
        (None, None, ["silent", "silent", "silent"]),
    ],
)
def test_an_offset_is_known_held_or_beyond(
    end: int | None, mark: int | None, kinds: list[str]
) -> None:
    assert [Replica(1, end, mark).square(offset) for offset in (1, 2, 3)] == kinds


def test_without_looks_or_offsets_there_is_no_slider() -> None:
    assert scrub([], None, [], time_axis([0])) is None
