"""How soon something is found, where some searches found nothing; by literal numbers."""

from __future__ import annotations

import math
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from tests import searches, searches_picture
from tests.bench import searching

from highwater.exploration.files import read_schedule, write_schedule
from highwater.exploration.findings import Finding
from highwater.exploration.moves import Cut
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Step, Taken
from highwater.exploration.strategies import STRATEGIES
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import Rounds


def row(kafka: str, seed: int, seconds: float, found: bool, schedules: int = 10) -> dict[str, Any]:
    return {
        "kafka": kafka, "strategy": "guided", "seed": seed, "budget_s": 60.0,
        "schedules": schedules, "seconds": seconds, "unsettled": 0,
        "claims": ["lost-write"] if found else [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "censored", "middle"),
    [
        ([10, 20, 30], [False] * 3, 20),
        ([10, 20, 30, 40], [False] * 4, 20),
        ([10, 60, 60, 60], [False, True, True, True], math.inf),
        ([60, 60], [True, True], math.inf),
        # A search that was given up early counts among those at risk until then, and no longer:
        # 1 * 3/4 * 1/2 of what is left after 10 and 30.
        ([10, 20, 30, 60], [False, True, False, True], 30),
    ],
)
def test_a_median_counts_what_was_given_up(
    values: list[float], censored: list[bool], middle: float
) -> None:
    assert searches.median(values, censored)[0] == middle


def test_an_interval_is_around_the_median_and_narrower_with_more_searches() -> None:
    few = searches.median(list(range(1, 11)), [False] * 10)
    many = searches.median([each / 10 for each in range(1, 101)], [False] * 100)

    assert few[1] <= few[0] <= few[2]
    assert many[1] <= many[0] <= many[2]
    assert many[2] - many[1] < few[2] - few[1]


def test_a_page_says_what_was_found_how_soon_and_where_nothing_was() -> None:
    text = searches.section(
        [
            {**row("0.10.2.2", 1, 10.0, found=True, schedules=4), "story": "cut(broker=2)"},
            row("0.10.2.2", 2, 20.0, found=True, schedules=8),
            row("0.10.2.2", 3, 60.0, found=False, schedules=40),
            row("4.1.1", 1, 60.0, found=False, schedules=100),
            row("4.1.1", 2, 60.0, found=False, schedules=200),
        ]
    )

    assert "of 1 of the 2 that found something the story is there too" in text
    assert "| 0.10.2.2 | guided | 2 of 3 | 20 (" in text
    assert "| 4.1.1 | guided | 0 of 2 | > 60 | > 200 | 150 | nothing |" in text
    assert "120 by default and 60 to 60 of those" in text
    assert "a nemesis takes" not in text
    assert "4.1.1, guided: nothing in 300 schedules (0 did not settle)" in text
    assert "fewer than 1.00 % of such schedules" in text


def test_a_nemesis_is_held_against_the_guided_search_of_the_same_release() -> None:
    """Where it finds nothing in its time, that is the least that it takes."""
    told = {
        "0.10.2.2": ([10.0, 20.0, 30.0], [50.0, 60.0, 70.0], True),
        "1.1.1": ([10.0, 20.0, 30.0], [130.0, 140.0, 150.0], False),
        "2.8.0": ([10.0, 20.0, 30.0], [20.0, 30.0, 40.0], True),
    }
    rows = [row("4.1.1", 1, 60.0, found=False), row("2.0.0", 1, 3.0, found=True)]
    few = [row("2.0.0", seed, 120.0, found=False) for seed in range(3)]
    rows += [{**each, "strategy": "nemesis"} for each in few]  # one guided search is no median
    for kafka, (guided, nemesis, found) in told.items():
        rows += [row(kafka, seed, each, found=True) for seed, each in enumerate(guided)]
        rows += [
            {**row(kafka, seed, each, found=found), "strategy": "nemesis"}
            for seed, each in enumerate(nemesis)
        ]

    assert (
        "in the median: 0.10.2.2 3.0, 1.1.1 > 7.5, 2.8.0 1.5; in the median over these at least "
        "3.0." in searches.section(rows)
    )


def test_a_picture_has_a_circle_for_each_search_and_a_bar_for_a_median() -> None:
    rows = [
        row("0.10.2.2", 1, 10.0, found=True),
        row("0.10.2.2", 2, 20.0, found=True),
        row("4.1.1", 1, 60.0, found=False),
    ]

    drawn = ET.fromstring(searches_picture.picture(rows))

    circles = [each for each in drawn.iter() if each.tag.endswith("circle")]
    assert [each.get("class") for each in circles] == ["found", "found", "censored"]
    assert float(circles[0].get("cx", "")) < float(circles[1].get("cx", ""))
    assert sum(each.get("class") == "median" for each in drawn.iter()) == 1
    assert "2 of 2" in {each.text for each in drawn.iter()}


def test_how_many_found_something_is_told_beside_the_circles_and_within_the_picture() -> None:
    seeds = range(1, 11)
    told = [row("0.10.2.2", each, 300.0, found=True) for each in seeds]
    root = ET.fromstring(searches_picture.picture(told))
    texts = [each for each in root.iter() if each.tag.endswith("text") and each.text == "10 of 10"]
    (at,) = (float(each.attrib["x"]) for each in texts)
    circles = [float(each.attrib["cx"]) for each in root.iter() if each.tag.endswith("circle")]

    assert at > max(circles) + 6  # the radius of a circle, and some room
    assert at + 6.2 * len("10 of 10") <= float(root.attrib["width"])  # at 11 user units a letter


def test_releases_stand_in_their_order_and_searches_in_which_brokers_die_apart() -> None:
    rows = [row("0.10.2.2", 1, 9.0, found=True), {**row("0.9.0", 1, 9.0, found=True)}]
    rough = {**row("0.10.2.2", 1, 9.0, found=True), "moves": "rough"}

    names = [*searches.groups_of([*rows, rough])]

    assert names == [("0.9.0", "guided"), ("0.10.2.2", "guided"), ("0.10.2.2", "guided, rough")]


def test_what_is_known_is_not_played_again_and_what_is_played_again_replaces_it(
    tmp_path: Path,
) -> None:
    path, kept = tmp_path / "searches.json", tmp_path / "kept.json"
    write_json(path, [{**row("2.8.0", 1, 9.0, found=True), "moves": "gentle"}])
    write_json(kept, [row("2.8.0", 1, 60.0, found=False), row("2.8.0", 2, 60.0, found=False)])
    asked = Namespace(kafkas=["2.8.0"], strategy=["guided"], moves="gentle", seeds=3)

    searching.keep(searching.rows_of(path), kept)

    assert [each[3] for each in searching.left(asked, path)] == [2, 3]
    assert [(each["seed"], each["seconds"]) for each in searching.rows_of(kept)] == [
        (1, 9.0),
        (2, 60.0),
    ]


def test_every_strategy_is_measured_on_every_release_that_is_known_to_fail(tmp_path: Path) -> None:
    asked = Namespace(kafkas=[], strategy=None, moves=None, seeds=1)

    todo = {
        (kafka, moves, strategy)
        for kafka, strategy, moves, _ in searching.left(asked, tmp_path / "none")
    }

    assert todo == {(*known, name) for known in searching.KNOWN for name in STRATEGIES}


def test_what_is_found_is_kept_as_a_schedule(tmp_path: Path) -> None:
    quiet = Round(taken=(), finding=Finding(), seconds=2.0)
    steps = [Taken(Step(Cut(2)), ("a",), ("b",), 1)]
    lost = Round(taken=steps, finding=Finding(("lost-write",), "gone"), seconds=3.0, by="guided")
    told = iter([quiet, lost])
    rounds = SimpleNamespace(kafka=find_kafka("2.8.0"), play_by=lambda _strategy, _rng: next(told))

    row, found = searching.one_search(
        cast("Rounds", rounds), ("2.8.0", "guided", "gentle", 7), 60.0
    )

    assert (row["schedules"], row["seconds"], row["claims"]) == (2, 5.0, ["lost-write"])
    assert (row["by"], row["story"]) == ("guided", "cut(broker=2)")
    assert found is not None
    write_schedule(tmp_path / "found.json", found)
    assert read_schedule(tmp_path / "found.json") == found
    assert found.origin == {"seed": 7, "number": 2, "strategy": "guided", "moves": "gentle"}


def test_where_nothing_is_found_there_is_no_schedule() -> None:
    quiet = Round(taken=(), finding=Finding(is_settled=False), seconds=40.0)
    rounds = SimpleNamespace(kafka=find_kafka("2.8.0"), play_by=lambda _strategy, _rng: quiet)

    row, found = searching.one_search(
        cast("Rounds", rounds), ("2.8.0", "guided", "gentle", 7), 60.0
    )

    assert (row["schedules"], row["unsettled"], row["claims"], found) == (2, 2, [], None)
    assert "story" not in row
