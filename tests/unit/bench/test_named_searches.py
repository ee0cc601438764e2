"""What is told of searches and of what they found, by the directories that they left."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import named_searches
from tests.kept_cells import KEPT
from tests.named_searches import Wanted

from highwater.exploration.files import write_schedule
from highwater.exploration.findings import Finding
from highwater.exploration.injections import Await
from highwater.exploration.moves import Lead, Send
from highwater.exploration.rounds import Round
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.search_log import append, open_search, row_of

LOST = Finding(("lost-write",), "1 record is gone")
WANTED = (
    Wanted("2.8.0", "gentle", ("kafka13141-diverging-fetch-no-crash", "kip320-deaf-leader")),
    Wanted("4.4.0", "groups", ("told-less-than-confirmed",), good="3.9.1"),
)
AS = "kafka13141-diverging-fetch-no-crash"
STEPS = (Step(Send(1, "all")), Step(Lead(2)))


TAKEN = [Taken(each) for each in STEPS]
ORIGIN = {"shrinking": {"seconds": 31.4}, "hits": 8, "plays": 10}


def schedule(*steps: Step, **origin: Any) -> Schedule:
    taken = [Taken(step) for step in steps]
    return Schedule(kafka="2.8.0", steps=taken, claims=LOST.claims, told="gone", origin=origin)


def searched(out: Path, each: Wanted, *findings: Finding) -> Path:
    """Each schedule took a minute."""
    place = open_search(each.place(out), {"kafka": each.kafka, "moves": each.moves, "seed": 1})
    for number, finding in enumerate(findings, 1):
        append(place, row_of(number, Round(taken=TAKEN, finding=finding, seconds=60.0), 0, 200.0))
    return place


def found(out: Path, each: Wanted, **origin: Any) -> None:
    """A finding of three steps, of which two are left."""
    place = searched(out, each, Finding(), LOST)
    write_schedule(place / "found-1.json", schedule(*STEPS, Step(Lead(3))))
    write_schedule(each.small(out), schedule(*STEPS, **origin))


def recorded(out: Path, each: Wanted) -> None:
    cells = [
        {"kafka": "2.8.0", "reproduced": 9, "trials": 10},
        {"kafka": "2.8.1", "reproduced": 0, "trials": 10},
    ]
    each.report(out).parent.mkdir()
    each.report(out).touch()
    each.report(out).with_name("compare.json").write_text(json.dumps({"cells": cells}))


def bisected(out: Path, each: Wanted, last: str | None, first: str | None) -> None:
    each.bisected(out).parent.mkdir(exist_ok=True)
    told: dict[str, Any] = {"tried": [], "last": last, "first": first, "first_answer": "holds"}
    each.bisected(out).write_text(json.dumps(told))


def by_hand(out: Path, name: str, *steps: Step, reproduced: int = 1) -> None:
    place = out / "by-hand" / name / "runs"
    place.mkdir(parents=True, exist_ok=True)
    write_schedule(place / "schedule.json", schedule(*steps))
    cells = [{"reproduced": reproduced, "trials": 1}]
    place.with_name("compare.json").write_text(json.dumps({"cells": cells}))


def test_a_finding_is_as_the_scenario_that_flips_where_it_does(tmp_path: Path) -> None:
    found(tmp_path, WANTED[0], **ORIGIN)
    recorded(tmp_path, WANTED[0])
    bisected(tmp_path, WANTED[0], "2.8.0", "2.8.1")
    searched(tmp_path, WANTED[1], *[Finding()] * 20)
    append(WANTED[1].place(tmp_path), row_of(2, Round(taken=(), finding=Finding()), 0, 200.0))
    waits = Step(Await(1, "1:1", "1:1"))
    by_hand(tmp_path, AS, waits, *STEPS, waits, STEPS[0])

    told = named_searches.kept(tmp_path, WANTED)

    lost, nothing = told["searches"]
    assert lost["as"] == [AS]
    assert (lost["steps"], lost["found_steps"], lost["recorded"]) == (2, 3, [9, 10])
    assert (lost["schedules"], lost["seconds"]) == (2, 120.0)
    assert nothing["schedules"] == 20  # and not the one in which no step was taken
    assert (nothing["claims"], nothing["schedules"]) == ([], 20)
    page = named_searches.section(told)
    assert f"| 2.0 | 2 | lost-write | 2.8.0, 2.8.1 holds | {AS} | 2 (3) | 31 | 8 of 10 |" in page
    assert "--moves groups --seed 1 --budget 20m` | 20.0 | 20 | nothing |" in page
    assert "1 of 2 searches found something; 1 different failures of these are known." in page


@pytest.mark.parametrize(
    ("last", "first", "told"),
    [("2.7.2", "2.8.0", "2.7.2, 2.8.0 holds"), ("2.8.1", "2.8.2", "2.8.1"), (None, None, "?")],
)
def test_what_flips_elsewhere_or_was_not_bisected_is_nothing_that_is_known(
    tmp_path: Path, last: str | None, first: str | None, told: str
) -> None:
    found(tmp_path, WANTED[0])
    bisected(tmp_path, WANTED[0], last, first)

    kept = named_searches.kept(tmp_path, WANTED)

    assert kept["searches"][0]["as"] == []
    page = named_searches.section(kept)
    assert f"| lost-write | {told}" in page
    assert "| nothing that is known | 2 | ? | ? | ? |" in page
    assert "; 0 different failures" in page


def test_a_search_that_was_cut_short_says_nothing_yet(tmp_path: Path) -> None:
    searched(tmp_path, WANTED[1], *[Finding()] * 16)
    assert [*named_searches.rows_of(tmp_path, WANTED)] == []

    searched(tmp_path, WANTED[1], *[Finding()] * 2)
    (row,) = named_searches.rows_of(tmp_path, WANTED)
    assert row["claims"] == []


def test_a_finding_that_was_not_made_small_yet_is_gone_on_with(tmp_path: Path) -> None:
    """Though hardly any time is left: it is no search that has found nothing."""
    searched(tmp_path, WANTED[1], *[Finding()] * 19, LOST)

    assert [*named_searches.rows_of(tmp_path, WANTED)] == []
    assert not WANTED[1].is_over(tmp_path)


def test_of_several_that_flip_there_it_is_that_of_its_claim(tmp_path: Path) -> None:
    each = Wanted("2.8.0", "gentle", ("kip101-divergence", "kip101-loss-no-crash"))
    found(tmp_path, each)
    bisected(tmp_path, each, "0.10.2.2", "0.11.0.0")

    (row,) = named_searches.rows_of(tmp_path, [each])

    assert row["as"] == ["kip101-loss-no-crash"]


def test_one_failure_that_several_searches_found_is_one(tmp_path: Path) -> None:
    """Whatever else one of them saw of it."""
    twice = tuple(Wanted("2.8.0", moves, (AS,)) for moves in ("gentle", "busy"))
    for each in twice:
        found(tmp_path, each)
        bisected(tmp_path, each, "2.8.0", "2.8.1")
    rows = [dict(row) for row in named_searches.rows_of(tmp_path, twice)]
    rows[1]["claims"] = ["lost-write", "replica-divergence"]

    page = named_searches.section({"played_on": "", "searches": rows, "by_hand": {}})

    assert "2 of 2 searches found something; 1 different failures" in page


def test_it_goes_on_with_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def end(lines: Sequence[Sequence[str]], _most_s: float) -> bool:
        ran.extend([*line[3:]] for line in lines)
        return True

    def words() -> list[tuple[str, str]]:
        ran.clear()
        named_searches.play(3, tmp_path, 60.0, WANTED)
        return [(line[0], line[1] if line[0] == "bisect" else line[2]) for line in ran]

    monkeypatch.setattr(named_searches, "all_end", end)
    small = str(WANTED[0].small(tmp_path))

    assert words() == [("explore", "2.8.0"), ("explore", "4.4.0")]
    searched(tmp_path, WANTED[1], *[Finding()] * 9)
    found(tmp_path, WANTED[0])  # and was ended before it was played ten times
    assert words() == [("explore", "2.8.0"), ("explore", "4.4.0"), ("bisect", small)]
    assert "660s" in ran[1]  # of twenty minutes
    recorded(tmp_path, WANTED[0])
    searched(tmp_path, WANTED[1], *[Finding()] * 20)
    assert words() == [("bisect", small)]
    bisected(tmp_path, WANTED[0], "2.8.0", "2.8.1")
    assert words() == [("compare", AS)]
    by_hand(tmp_path, AS, *STEPS, reproduced=0)  # it came to no end
    assert words() == [("compare", AS)]
    by_hand(tmp_path, AS, *STEPS)
    assert words() == []


def test_what_a_scenario_does_in_transactions_is_not_counted_as_fewer_steps(
    tmp_path: Path,
) -> None:
    assert [
        each.moves for each in named_searches.WANTED if not named_searches.has_whole_schedule(each)
    ] == [
        "groups", "rough-transactions", "transactions", "transactions", "pipelines",
        "transactions", "groups", "groups",
    ]  # fmt: skip


def test_each_search_is_of_scenarios_that_were_bisected() -> None:
    flips = json.loads((KEPT / "bisect.json").read_text())["flips"]
    names = {row["scenario"] for row in flips}

    assert [each for each in named_searches.WANTED if not names >= {*each.known}] == []
