"""What others say of the releases in which scenarios flip."""

from __future__ import annotations

import json

from tests import tickets
from tests.bisected import every_flip
from tests.kept_cells import KEPT

ROWS = json.loads((KEPT / "tickets.json").read_text())


def test_each_flip_that_was_bisected_is_held_against_what_others_say() -> None:
    flips = json.loads((KEPT / "bisect.json").read_text())["flips"]
    names = ("scenario", "mode", "last", "first", "first_answer")

    bisected = sorted(tuple(flip[each] for each in names) for flip in every_flip(flips))

    assert sorted(tuple(row[each] for each in names) for row in ROWS) == bisected
    for row in ROWS:
        assert row["agrees"] is not False, row
        assert row["where"].startswith("https://"), row
        assert row["says"] if row["agrees"] else row["note"], row


def test_flips_of_one_ticket_in_one_release_are_a_line() -> None:
    row = {
        "scenario": "a", "mode": "zk", "first": "2.0.1", "ticket": "KAFKA-1", "says": "one | two",
        "where": "https://issues/browse/KAFKA-1", "agrees": True, "note": "",
    }  # fmt: skip
    told = tickets.section([row, {**row, "scenario": "b"}, {**row, "first": "2.1.0"}])

    assert (
        "| 2.0.1 | KAFKA-1 | a, b | one / two | [KAFKA-1](https://issues/browse/KAFKA-1) |" in told
    )
    assert "Each of the 3 flips" in told
    assert "3 agree, none disagrees; of 0" in told
    assert "0 agree, 1 disagree; of 0" in tickets.section([{**row, "agrees": False}])
