"""The table of bisections says what was found and what was played, and lists what was not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import bisected, kept_sections

from highwater.harness.scenario import expectation
from highwater.harness.versions.catalogue import every_kafka, find_kafka, ladder_kafkas
from highwater.scenarios.catalogue import find_scenario

ROW = {
    "scenario": "kip320-zombie-follower",
    "mode": "zk",
    "command": "bisect kip320-zombie-follower --mode zk --bad 2.0.1 --good 2.1.1",
    "last": "2.0.1",
    "first": "2.1.1",
    "first_answer": "holds",
    "unclear": ["2.1.0"],
    "further": [],
    "tried": [
        {"kafka": "2.0.1", "answer": "fails", "failed": 2, "held": 0, "inconclusive": 1},
        {"kafka": "2.1.1", "answer": "holds", "failed": 0, "held": 3, "inconclusive": 0},
        {"kafka": "2.1.0", "answer": "unclear", "failed": 0, "held": 1, "inconclusive": 2},
    ],
}
NOTHING: dict[str, Any] = dict.fromkeys(("last", "first", "first_answer", "unclear", "tried"))


def test_each_flip_of_the_ladder_has_ends_on_it_that_are_expected_to_differ() -> None:
    flips = list(bisected.flips())
    ladder = [kafka.version for kafka in ladder_kafkas()]

    assert {"kip101-loss-strict", "kip890-hanging-transaction"} <= {each.scenario for each in flips}
    assert len({each.place for each in flips}) == len(flips)
    for flip in flips:
        scenario = find_scenario(flip.scenario)
        shown = [
            expectation(scenario, find_kafka(f"{end}-{flip.mode}"), None)
            for end in (flip.bad, flip.good)
        ]
        assert shown == ["reproduced", "clean"]
        on_ladder = {expectation(scenario, kafka, None) for kafka in ladder_kafkas()}
        assert "reproduced" not in on_ladder or {flip.bad, flip.good} <= set(ladder)
        assert flip.width >= 0


def test_the_table_has_what_was_played_and_names_what_is_unclear_and_what_was_not_run() -> None:
    left = {**ROW, **NOTHING, "command": "bisect isr-of-one --mode zk --bad 1 --good 2"}
    told = bisected.section({"trials": 3, "played_on": "2031-02-03", "flips": [ROW, left]})

    assert "1 of 2 flips of the ladder" in told
    assert (
        "| kip320-zombie-follower | zk | 2.0.1 fails | 2.1.1 holds "
        "| 2.0.1 ✗ 2/3 ?1, 2.1.1 ✓ 0/3, 2.1.0 ? 0/3 ?2 |" in told
    )
    assert "kip320-zombie-follower: nothing could be told of 2.1.0." in told
    again = {"last": "3.0.0", "first": "3.0.1", "first_answer": "fails", "unclear": ["3.0.3"]}
    more = bisected.section(
        {
            "trials": 3,
            "played_on": "2031-02-03",
            "flips": [{**ROW, "further": [again]}, left],
        }
    )
    assert "| kip320-zombie-follower | zk | 3.0.0 holds | 3.0.1 fails | 2.0.1 ✗ 2/3 ?1," in more
    assert "kip320-zombie-follower: nothing could be told of 3.0.3." in more
    assert "Not run, or not to its end: `highwater bisect isr-of-one" in told


def test_what_is_in_the_directory_is_kept_and_the_rest_is_not_run(tmp_path: Path) -> None:
    flip = next(bisected.flips())
    (tmp_path / flip.place).mkdir()
    (tmp_path / flip.place / "bisect.json").write_text(json.dumps(ROW))

    kept = bisected.kept(3, tmp_path)["flips"]

    assert [row["last"] for row in kept][:2] == ["2.0.1", None]
    assert len(kept) == len(list(bisected.flips()))


def test_what_was_found_before_stays_where_the_directory_does_not_have_it(tmp_path: Path) -> None:
    first, second, *_ = bisected.flips()
    (tmp_path / first.place).mkdir()
    (tmp_path / first.place / "bisect.json").write_text(json.dumps(ROW))
    before = [{**ROW, "command": " ".join(each.words), "last": "0.9"} for each in (first, second)]

    kept = bisected.kept(3, tmp_path, before)["flips"]

    assert [row["last"] for row in kept][:3] == ["2.0.1", "0.9", None]


def test_releases_that_did_not_play_well_have_a_line_with_the_reason_and_others_are_named() -> None:
    row: dict[str, Any] = {
        "scenario": "hw-two-fetches",
        "control": None,
        "trials": 1,
        "reproduced": 0,
        "clean": 1,
        "inconclusive": 0,
        "as_expected": True,
        "reasons": [],
    }
    bad = {"clean": 0, "inconclusive": 1, "as_expected": False, "reasons": ["no cluster"]}
    rows = [{**row, "kafka": "4.1.1"}, {**row, **bad, "kafka": "2.5.0"}]

    told = kept_sections.releases_section(
        {"command": "highwater compare", "played_on": "2031-02-03", "minutes": 1, "cells": rows}
    )

    assert "1 of 2 start, serve" in told
    assert "4.1.1 1/1." in told
    assert "- 2.5.0 did not: 2.5.0 0/1 ?1; no cluster" in told
    left = told.partition("Not played yet: ")[2].removesuffix(".\n").split(", ")
    assert {*left} == {kafka.name for kafka in every_kafka()} - {"4.1.1", "2.5.0"}


def test_a_flip_that_two_bisections_found_is_told_once_as_its_own_found_it() -> None:
    one = {"last": "2.7.2", "first": "2.8.0", "first_answer": "fails", "unclear": []}
    two = {"last": "2.8.0", "first": "2.8.1", "first_answer": "holds", "unclear": []}
    three = {"last": "3.0.0", "first": "3.0.1", "first_answer": "fails", "unclear": []}
    rows = [
        {**ROW, **two, "command": "2", "further": [one, three]},
        {**ROW, **one, "command": "1", "further": [two]},
        {**ROW, "scenario": "isr-of-one", **one, "command": "3"},
        {**ROW, **NOTHING, "command": "4", "further": []},
    ]

    told = [(each["command"], each["last"], each["scenario"]) for each in bisected.every_flip(rows)]

    assert told == [
        ("2", "2.8.0", ROW["scenario"]),
        ("2", "3.0.0", ROW["scenario"]),
        ("1", "2.7.2", ROW["scenario"]),
        ("3", "2.7.2", "isr-of-one"),
    ]
