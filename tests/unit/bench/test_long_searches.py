"""What is told of hours of searching, by the directories that they left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import long_searches

from highwater.exploration.findings import Finding
from highwater.exploration.rounds import Round
from highwater.search_log import Part, append, open_search, row_of

TOLD = {"kafka": "4.4.0", "seed": 3, "strategy": "guided", "moves": "rough"}
QUIET, STUCK = Finding(), Finding(is_settled=False)
LOST = Finding(("lost-write",), "1 record is gone")


def searched(out: Path, part: Part, *findings: Finding, mib: float = 200.0) -> Path:
    """Each schedule took ten minutes."""
    open_search(out, TOLD, part)
    for number, finding in enumerate(findings, 1):
        played = Round(taken=(), finding=finding, seconds=600.0)
        append(out, row_of(number, played, 0, mib + number), part)
    return out


def test_each_part_of_a_search_is_kept_once(tmp_path: Path) -> None:
    kept = tmp_path / "hours.json"
    out = searched(tmp_path / "out", Part(1, 2), QUIET, STUCK, LOST)
    searched(out, Part(2, 2), QUIET)

    for _ in range(2):
        long_searches.keep([out], kept)

    first, second = json.loads(kept.read_text())
    assert first == {
        **TOLD, "topology": "plain", "part": "1of2", "schedules": 3, "seconds": 1800.0,
        "unsettled": 1, "found": 1, "claims": {"lost-write": 1}, "mib": [202.0],
    }  # fmt: skip
    assert (second["part"], second["schedules"], second["mib"]) == ("2of2", 1, [])


def test_memory_is_told_hour_by_hour(tmp_path: Path) -> None:
    """The last hour where half of it is there."""
    whole = searched(tmp_path / "whole", Part(), *[QUIET] * 15)
    less = searched(tmp_path / "less", Part(), *[QUIET] * 14)

    assert long_searches.by_the_hour(whole / "rounds.jsonl") == [203.5, 209.5, 214.0]
    assert long_searches.by_the_hour(less / "rounds.jsonl") == [203.5, 209.5]


def test_searches_of_one_kind_are_told_together_with_what_their_silence_says(
    tmp_path: Path,
) -> None:
    found = searched(tmp_path / "found", Part(), LOST, LOST)
    rows = [*long_searches.rows_of(found)]
    rows += [{**rows[0], "seed": 4, "found": 0, "claims": {}, "schedules": 300, "mib": [7.0, 8.0]}]

    told = long_searches.section(rows)

    assert "| 4.4.0 | rough | guided | 3, 4 | 0.7 | 302 | 0 | lost-write 2 | 7, 8 |" in told
    assert "- 4.4.0: 0.7 hours in all, 302 schedules." in told
    assert "found, 300 of these settled: with 95 % confidence fewer than 1.00 %" in told


def test_of_what_did_not_settle_nobody_knows_whether_it_lost_anything(tmp_path: Path) -> None:
    out = searched(tmp_path / "out", Part(), QUIET, STUCK, STUCK)

    told = long_searches.section([*long_searches.rows_of(out)])

    assert "found, 1 of these settled: with 95 % confidence fewer than 300.00 %" in told


def test_a_line_that_was_cut_short_takes_no_time(tmp_path: Path) -> None:
    out = searched(tmp_path / "out", Part(), *[QUIET] * 6)
    with (out / "rounds.jsonl").open("a") as lines:
        lines.write('{"number": 7, "seco')

    assert long_searches.by_the_hour(out / "rounds.jsonl") == [203.5]


def test_a_directory_that_is_none_of_a_search_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected the --out of a search, saw no search\.json"):
        list(long_searches.rows_of(tmp_path))
