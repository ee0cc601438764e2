"""What is told of searches and of what they found, by the directories that they left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import named_searches
from tests.named_searches import Wanted

from highwater.exploration.files import write_schedule
from highwater.exploration.findings import Finding
from highwater.exploration.moves import Lead, Send
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.search_log import append, open_search, row_of

LOST = Finding(("lost-write",), "1 record is gone")
WANTED = (Wanted("2.8.0", "gentle"), Wanted("4.4.0", "groups", good="3.9.1"))
STEPS = (Step(Send(1, "all")), Step(Lead(2)))


def schedule(*steps: Step) -> Schedule:
    taken = [Taken(step, before=(), after=()) for step in steps]
    origin = {"shrinking": {"seconds": 31.4}}
    return Schedule(kafka="2.8.0", steps=taken, claims=LOST.claims, told=LOST.told, origin=origin)


def searched(out: Path, each: Wanted, *findings: Finding) -> Path:
    """Each schedule took a minute."""
    place = open_search(each.place(out), {"kafka": each.kafka, "moves": each.moves, "seed": 1})
    for number, finding in enumerate(findings, 1):
        append(place, row_of(number, Round(taken=(), finding=finding, seconds=60.0), 0, 200.0))
    return place


def found(out: Path, each: Wanted, last: str, first: str) -> None:
    """A finding of three steps, of which two are left, that ends with a release."""
    place = searched(out, each, Finding(), LOST)
    write_schedule(place / "found-1.json", schedule(*STEPS, Step(Lead(3))))
    write_schedule(each.small(out), schedule(*STEPS))
    cells = [
        {"kafka": "2.8.0", "reproduced": 9, "trials": 10},
        {"kafka": "2.8.1", "reproduced": 0, "trials": 10},
    ]
    (place / "found-1").mkdir()
    (place / "found-1" / "compare.json").write_text(json.dumps({"cells": cells}))
    each.bisected(out).mkdir()
    told = {"tried": [], "last": last, "first": first, "first_answer": "holds"}
    (each.bisected(out) / "bisect.json").write_text(json.dumps(told))


def by_hand(out: Path, name: str, *steps: Step) -> None:
    place = out / "by-hand" / name / "runs"
    place.mkdir(parents=True)
    write_schedule(place / "schedule.json", schedule(*steps))


def test_a_finding_is_known_by_the_release_it_ends_with_and_its_claim(tmp_path: Path) -> None:
    found(tmp_path, WANTED[0], "2.8.0", "2.8.1")
    searched(tmp_path, WANTED[1], Finding())
    by_hand(tmp_path, "kafka13141-diverging-fetch", *STEPS, *STEPS)
    by_hand(tmp_path, "kafka13141-diverging-fetch-no-crash", *STEPS, STEPS[0])

    told = named_searches.kept(tmp_path, WANTED)

    lost, nothing = told["searches"]
    assert lost["known"] == ["kafka13141-diverging-fetch", "kafka13141-diverging-fetch-no-crash"]
    assert (lost["steps"], lost["found_steps"], lost["again"]) == (2, 3, "9 of 10")
    assert (lost["schedules"], lost["seconds"]) == (2, 120.0)
    assert (nothing["claims"], nothing["schedules"]) == ([], 1)
    page = named_searches.section(told)
    assert "| 2.0 | 2 | lost-write | 2.8.1 holds, 2.8.0 not | kafka13141-diverging-fetch, " in page
    assert "| 2 (3) | 31 | 9 of 10 |" in page
    assert "--moves groups --seed 1 --budget 20m` | 1.0 | 1 | nothing |" in page
    assert "1 of 2 searches found something. Failures of it that are known by" in page
    assert "their release and claim: 1." in page


@pytest.mark.parametrize(("last", "first"), [("2.7.2", "2.8.0"), ("2.8.1", "2.8.2")])
def test_what_ends_elsewhere_is_nothing_that_is_known(
    tmp_path: Path, last: str, first: str
) -> None:
    found(tmp_path, WANTED[0], last, first)

    told = named_searches.kept(tmp_path, WANTED)

    assert told["searches"][0]["known"] == []
    assert "none that is known" in named_searches.section(told)
    assert "their release and claim: 0." in named_searches.section(told)


def test_a_search_that_was_cut_short_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has found something, or searched for more than half of its time, is not."""
    ran: list[list[str]] = []

    def end(lines: list[list[str]], _most_s: float) -> bool:
        ran.extend(lines)
        return True

    monkeypatch.setattr(named_searches, "all_end", end)
    found(tmp_path, WANTED[0], "2.8.0", "2.8.1")
    searched(tmp_path, WANTED[1], *[Finding()] * 9)

    named_searches.play(3, tmp_path, 60.0, WANTED)
    searched(tmp_path, WANTED[1], Finding())
    named_searches.play(3, tmp_path, 60.0, WANTED)

    words = [line[3] for line in ran]
    assert words == ["explore", "bisect", "run", "run", "bisect", "run", "run"]
    assert "4.4.0" in ran[0]
    assert str(WANTED[0].small(tmp_path)) in ran[1]
    assert {ran[2][4], ran[3][4]} == {
        "kafka13141-diverging-fetch",
        "kafka13141-diverging-fetch-no-crash",
    }
