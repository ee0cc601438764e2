"""Which failures searches find by themselves: each finding is made small, and bisected.

A search knows nothing of releases or tickets. What its finding is, the release says with which it
ends (or began): scenarios that show the same claim and flip there are named beside it, and played
once, so that the steps of both can be compared.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from tests.whole_ladder import all_end

from highwater.bisecting import STORED
from highwater.exploration.files import read_schedule
from highwater.exploration.steps import Schedule
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.catalogue import find_scenario
from highwater.search_log import WHOLE, read_log

NAME = "named.json"
BUDGET_MIN = 20
SEED = 1
AWAIT = "await"  # a step of a search waits by itself; that of a scenario is one of its own

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A release, and the moves of a search there; `good` is where its finding is not."""

    kafka: str
    moves: str
    good: str | None = None  # None: the newest release of the mode

    def place(self, out: Path) -> Path:
        return out / f"{self.kafka}-{self.moves}"

    def small(self, out: Path) -> Path:
        return self.place(out) / "found-1.small.json"

    def bisected(self, out: Path) -> Path:
        return self.place(out) / "bisected"

    @property
    def explore(self) -> list[str]:
        """The words of the search."""
        return [
            "explore", "-k", self.kafka, "--moves", self.moves, "--seed", str(SEED),
            "--budget", f"{BUDGET_MIN}m",
        ]  # fmt: skip

    @property
    def ends(self) -> list[str]:
        """Words of its bisection."""
        return ["--good", self.good] if self.good else []


WANTED = (
    Wanted("0.10.2.2", "gentle"),
    Wanted("0.10.2.2", "groups"),
    Wanted("1.1.1", "gentle"),
    Wanted("2.0.0", "gentle"),
    Wanted("2.0.1", "gentle"),
    Wanted("2.4.0", "rough-transactions"),
    Wanted("2.8.0", "gentle"),
    Wanted("2.8.2", "topics"),
    Wanted("3.3.2", "transactions"),
    Wanted("3.6.2", "topics"),
    Wanted("3.7.2", "transactions"),
    Wanted("3.9.0", "pipelines"),
    Wanted("4.0.0", "power"),
    Wanted("4.1.1", "transactions"),
    Wanted("4.1.1", "groups"),
    Wanted("4.4.0", "groups", good="3.9.1"),
)


def play(trials: int, out: Path, most_s: float, wanted: Sequence[Wanted] = WANTED) -> None:
    """Search, bisect what was found, and play once what is known of it; goes on where it ended."""
    line = [sys.executable, "-m", "highwater.cli"]
    searches = [
        [*line, *each.explore, "-o", str(each.place(out))]
        for each in wanted
        if not each.small(out).exists() and _spent_s(each, out) < 30 * BUDGET_MIN
    ]
    if not all_end(searches, most_s):
        return
    found = [each for each in wanted if each.small(out).exists()]
    all_end([[*line, *_bisect(each, trials, out)] for each in found], most_s)
    names = {(name, row["kafka"]) for row in rows_of(out, wanted) for name in row["known"]}
    runs = [
        [*line, "run", name, "-k", kafka, "-o", str(_by_hand(out, name))]
        for name, kafka in sorted(names)
        if not _by_hand(out, name).exists()
    ]
    all_end(runs, most_s)


def _spent_s(each: Wanted, out: Path) -> float:
    """By a search that may have been cut short; its clusters' starts come on top."""
    return sum(told.seconds for _, told in read_log(each.place(out) / WHOLE.log))


def _bisect(each: Wanted, trials: int, out: Path) -> list[str]:
    told = ["bisect", str(each.small(out)), *each.ends, "-n", str(trials)]
    return [*told, "-o", str(each.bisected(out)), "--resume"]


def _by_hand(out: Path, scenario: str) -> Path:
    return out / "by-hand" / scenario


def kept(out: Path, wanted: Sequence[Wanted] = WANTED) -> dict[str, Any]:
    """What the page needs of them."""
    rows = [*rows_of(out, wanted)]
    names = sorted({name for row in rows for name in row["known"]})
    return {
        "played_on": datetime.now(UTC).date().isoformat(),
        "searches": rows,
        "by_hand": {name: steps for name in names if (steps := _steps_by_hand(out, name))},
    }


def _steps_by_hand(out: Path, name: str) -> int:
    """Of a scenario, as its run has written them down; 0 where it was not played."""
    stored = [*_by_hand(out, name).rglob("schedule.json")]
    return _count(read_schedule(stored[0])) if stored else 0


def _count(schedule: Schedule) -> int:
    return sum(each.step.move.name != AWAIT for each in schedule.steps)


def rows_of(out: Path, wanted: Sequence[Wanted] = WANTED) -> Iterator[Row]:
    """One for each search that was played, with what its finding is."""
    for each in wanted:
        log = each.place(out) / WHOLE.log
        if log.exists():
            told = [row for _, row in read_log(log)]
            yield {
                "kafka": find_kafka(each.kafka).name,
                "moves": each.moves,
                "command": " ".join(["highwater", *each.explore]),
                "schedules": len(told),
                "seconds": round(sum(row.seconds for row in told), 1),
                **_finding(each, out),
            }


def _finding(each: Wanted, out: Path) -> dict[str, Any]:
    if not each.small(out).exists():
        return {"claims": [], "known": []}
    found, small = (
        read_schedule(each.place(out) / name) for name in ("found-1.json", "found-1.small.json")
    )
    flip = _flip(each.bisected(out) / STORED)
    return {
        "claims": list(small.claims),
        "found_steps": _count(found),
        "steps": _count(small),
        "shrink_s": small.origin["shrinking"]["seconds"],
        "story": small.story,
        "again": _again(each.place(out) / "found-1" / "compare.json", small.kafka),
        **flip,
        "known": _known(small, flip),
    }


def _flip(stored: Path) -> dict[str, Any]:
    told = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    return {name: told.get(name) for name in ("tried", "last", "first", "first_answer")}


def _again(stored: Path, kafka: str) -> str:
    """In how many of how many plays the small one came again on its release."""
    cells = json.loads(stored.read_text(encoding="utf-8"))["cells"] if stored.exists() else []
    mine = [cell for cell in cells if cell["kafka"] == kafka]
    return f"{mine[0]['reproduced']} of {mine[0]['trials']}" if mine else ""


def _known(small: Schedule, flip: Row) -> list[str]:
    """Scenarios of which one claim is the same, that flip at the same release."""
    flips = json.loads((Path(__file__).parents[1] / "docs/results/bisect.json").read_text())
    ends = ("last", "first", "first_answer")
    same = [
        row["scenario"]
        for row in flips["flips"]
        if flip["last"] and all(row[end] == flip[end] for end in ends)
    ]
    claims = {*small.claims}
    return [name for name in same if claims & {*find_scenario(name).claims}]


INTRODUCTION = """## Which failures searches found

`python -m tests.results named`, played up to {day}: one search of each row, seed {seed}, of
{budget} minutes at most and two side by side, made small and played ten times more, and then
bisected. A search knows no release and no ticket. Beside what it found stand the scenarios that
flip at the same release and show the same claim; steps are those of the small schedule, and in
brackets those of the shortest of these scenarios, whose waiting is not counted; seconds are what it
took to make it small. Minutes are those of schedules.

| search | minutes | schedules | found | flips with | as do | steps | seconds | again |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def section(told: Row) -> str:
    """A line for each search, and below it the small schedules."""
    rows: Sequence[Row] = told["searches"]
    head = INTRODUCTION.format(day=told["played_on"], seed=SEED, budget=BUDGET_MIN)
    lines = [_line(row, told["by_hand"]) for row in rows]
    named = {(row["last"], row["first"], *row["claims"]) for row in rows if row["known"]}
    found = [row for row in rows if row["claims"]]
    sums = (
        f"{len(found)} of {len(rows)} searches found something. Failures of it that are known by "
        f"their release and claim: {len(named)}."
    )
    stories = [f"- {row['kafka']}, {row['moves']}: `{row['story']}`" for row in found]
    return head + "\n".join(chain(lines, ["", sums, ""], stories)) + "\n"


def _line(row: Row, by_hand: Mapping[str, int]) -> str:
    cells = [f"`{row['command']}`", f"{row['seconds'] / 60:.1f}", str(row["schedules"])]
    if not row["claims"]:
        return f"| {' | '.join([*cells, 'nothing', *[''] * 5])} |"
    known = [by_hand[name] for name in row["known"] if name in by_hand]
    steps = f"{row['steps']} ({min(known)})" if known else str(row["steps"])
    flips = f"{row['first']} {row['first_answer']}, {row['last']} not" if row["last"] else "?"
    named = ", ".join(row["known"]) or "none that is known"
    cells += [", ".join(row["claims"]), flips, named, steps]
    cells += [f"{row['shrink_s']:.0f}", row["again"]]
    return f"| {' | '.join(cells)} |"
